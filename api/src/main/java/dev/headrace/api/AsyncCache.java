package dev.headrace.api;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations of {@link Cache} without waiting: the same names, meanings and errors.
 *
 * <p>Arguments are checked and encoded by the calling thread, whose errors are thrown; everything
 * else ends the returned stage. Stages are completed, and functions run, on an executor of the
 * node: do not block there.
 */
public interface AsyncCache<K, V> {

  /** See {@link Cache#get}. */
  CompletionStage<@Nullable V> get(K key);

  /**
   * See {@link Cache#getAll}. The keys are copied and encoded before this returns; values are
   * decoded on an executor of the node.
   */
  CompletionStage<Map<K, V>> getAll(Collection<? extends K> keys);

  /** See {@link Cache#containsKey}. */
  CompletionStage<Boolean> containsKey(K key);

  /** See {@link Cache#put(Object, Object)}. */
  CompletionStage<@Nullable Void> put(K key, V value);

  /** See {@link Cache#put(Object, Object, Duration)}. */
  CompletionStage<@Nullable Void> put(K key, V value, Duration lifespan);

  /** See {@link Cache#putAll}. All entries are encoded before this returns. */
  CompletionStage<@Nullable Void> putAll(Map<? extends K, ? extends V> entries);

  /** See {@link Cache#getAndPut}. */
  CompletionStage<@Nullable V> getAndPut(K key, V value);

  /** See {@link Cache#putIfAbsent(Object, Object)}. */
  CompletionStage<@Nullable V> putIfAbsent(K key, V value);

  /** See {@link Cache#putIfAbsent(Object, Object, Duration)}. */
  CompletionStage<@Nullable V> putIfAbsent(K key, V value, Duration lifespan);

  /** See {@link Cache#replace(Object, Object)}. */
  CompletionStage<@Nullable V> replace(K key, V value);

  /** See {@link Cache#replace(Object, Object, Object)}. */
  CompletionStage<Boolean> replace(K key, V expected, V value);

  /** See {@link Cache#remove(Object)}. */
  CompletionStage<Boolean> remove(K key);

  /** See {@link Cache#remove(Object, Object)}. */
  CompletionStage<Boolean> remove(K key, V expected);

  /** See {@link Cache#getAndRemove}. */
  CompletionStage<@Nullable V> getAndRemove(K key);

  /** See {@link Cache#compute}. */
  CompletionStage<@Nullable V> compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /** See {@link Cache#computeIfAbsent}. */
  CompletionStage<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function);

  /** See {@link Cache#computeIfPresent}. */
  CompletionStage<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** See {@link Cache#merge}. */
  CompletionStage<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /** See {@link Cache#size}. */
  CompletionStage<Long> size();

  /** See {@link Cache#clear}. */
  CompletionStage<@Nullable Void> clear();
}
