package dev.headrace.cluster.cache;

import static java.util.Objects.requireNonNull;

import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides for {@code compute} and its relatives, from a key's present value. May be called again if
 * another write came in between.
 */
@FunctionalInterface
interface EntryChange<V> {

  /**
   * Decides.
   *
   * @param present the value now, null if absent
   */
  Decision<V> decide(@Nullable V present);

  /**
   * A decision.
   *
   * @param write whether to write
   * @param value the value afterwards, null for none
   */
  record Decision<V>(boolean write, @Nullable V value) {}

  static <K, V> EntryChange<V> compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return present -> {
      V next = function.apply(key, present);
      return new Decision<>(present != null || next != null, next);
    };
  }

  static <K, V> EntryChange<V> ifAbsent(
      K key, Function<? super K, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return present -> {
      if (present != null) {
        return new Decision<>(false, present);
      }
      V next = function.apply(key);
      return new Decision<>(next != null, next);
    };
  }

  static <K, V> EntryChange<V> ifPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return present ->
        present == null
            ? new Decision<>(false, null)
            : new Decision<>(true, function.apply(key, present));
  }

  static <V> EntryChange<V> merge(
      V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    requireNonNull(value, "value");
    requireNonNull(function, "function");
    return present ->
        new Decision<>(true, present == null ? value : function.apply(present, value));
  }
}
