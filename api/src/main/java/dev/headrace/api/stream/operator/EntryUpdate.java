package dev.headrace.api.stream.operator;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link EntryProcessor} decides about an entry. Immutable.
 *
 * @param action what becomes of the entry
 * @param value its new value; null unless it is set
 * @param lifespan how long the new value is present, or {@code Cache.FOREVER}; null for what the
 *     entry has left, or for the cache's lifespan if it is new
 * @param result what the caller gets; may be null
 * @param <V> the value
 * @param <R> the result
 */
public record EntryUpdate<V, R>(
    Action action, @Nullable V value, @Nullable Duration lifespan, @Nullable R result) {

  /** What becomes of an entry. */
  public enum Action {
    /** It stays as it is, present or absent. */
    KEEP,
    /** It has a new value. */
    SET,
    /** It is absent afterwards. */
    REMOVE
  }

  /**
   * Checks that there is a value exactly if one is set.
   *
   * @throws IllegalArgumentException also if the lifespan is not positive
   */
  public EntryUpdate {
    Objects.requireNonNull(action, "action");
    if ((action == Action.SET) != (value != null)) {
      throw new IllegalArgumentException(
          action == Action.SET
              ? "An entry cannot be set to null: use EntryUpdate.remove"
              : "Only EntryUpdate.set takes a value");
    }
    if (lifespan != null && (lifespan.isZero() || lifespan.isNegative())) {
      throw new IllegalArgumentException(
          "A lifespan must be positive, but is " + lifespan + ": use EntryUpdate.remove");
    }
  }

  /** Leaves the entry as it is. */
  public static <V, R> EntryUpdate<V, R> keep(@Nullable R result) {
    return new EntryUpdate<>(Action.KEEP, null, null, result);
  }

  /**
   * Sets the value. An entry that is there keeps what is left of its lifespan; a new one has that
   * of the cache.
   */
  public static <V, R> EntryUpdate<V, R> set(V value, @Nullable R result) {
    return new EntryUpdate<>(Action.SET, value, null, result);
  }

  /**
   * Sets the value, which is present for a time only.
   *
   * @param lifespan from when it is written
   */
  public static <V, R> EntryUpdate<V, R> set(V value, Duration lifespan, @Nullable R result) {
    Objects.requireNonNull(lifespan, "lifespan");
    return new EntryUpdate<>(Action.SET, value, lifespan, result);
  }

  /** Removes the entry; one that is absent stays so. */
  public static <V, R> EntryUpdate<V, R> remove(@Nullable R result) {
    return new EntryUpdate<>(Action.REMOVE, null, null, result);
  }
}
