package dev.headrace.jcache.entry;

import org.jspecify.annotations.Nullable;

/**
 * What an operation decides about an entry.
 *
 * @param action what is done
 * @param value the value to set; null unless one is
 * @param result what the caller is told
 */
public record EntryVerdict<V, R>(Action action, @Nullable V value, @Nullable R result) {

  /** What is done to an entry. */
  public enum Action {
    /** Nothing. */
    LEAVE,
    /** It is read, which may change when it expires. */
    ACCESS,
    /** It is set, by the writer first. */
    PUT,
    /** It is set; the writer is not asked. */
    STORE,
    /** It is removed, by the writer first, also where it is absent. */
    REMOVE,
    /** It is removed; the writer is not asked. */
    DROP
  }

  /** Does nothing. */
  public static <V, R> EntryVerdict<V, R> leave(@Nullable R result) {
    return new EntryVerdict<>(Action.LEAVE, null, result);
  }

  /** Reads the entry. */
  public static <V, R> EntryVerdict<V, R> access(@Nullable R result) {
    return new EntryVerdict<>(Action.ACCESS, null, result);
  }

  /** Sets a value, through the writer. */
  public static <V, R> EntryVerdict<V, R> put(V value, @Nullable R result) {
    return new EntryVerdict<>(Action.PUT, value, result);
  }

  /** Sets a value in the cache only. */
  public static <V, R> EntryVerdict<V, R> store(V value, @Nullable R result) {
    return new EntryVerdict<>(Action.STORE, value, result);
  }

  /** Removes the entry, through the writer. */
  public static <V, R> EntryVerdict<V, R> remove(@Nullable R result) {
    return new EntryVerdict<>(Action.REMOVE, null, result);
  }

  /** Removes the entry from the cache only. */
  public static <V, R> EntryVerdict<V, R> drop(@Nullable R result) {
    return new EntryVerdict<>(Action.DROP, null, result);
  }
}
