package dev.headrace.jcache.entry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an operation has done to an entry.
 *
 * @param kind what was done
 * @param previous the value before; null if the key was absent
 * @param value the value that was set; null if none was
 * @param lifespan of what was set; null for what the entry had left
 * @param result what the caller is told
 */
public record EntryOutcome<V, R>(
    Kind kind,
    @Nullable V previous,
    @Nullable V value,
    @Nullable Duration lifespan,
    @Nullable R result) {

  /** What was done to an entry. */
  public enum Kind {
    /** Nothing. */
    LEFT,
    /** It was read. */
    ACCESSED,
    /** It was absent and is there now. */
    CREATED,
    /** It was absent, and what was to be set would have expired at once. */
    NOT_CREATED,
    /** It has a new value. */
    UPDATED,
    /** Its new value has expired at once. */
    UPDATED_AND_EXPIRED,
    /** It was there and is removed. */
    REMOVED
  }

  /** Whether the caller's value was taken, even if it has expired at once. */
  public boolean isPut() {
    return kind == Kind.CREATED || kind == Kind.UPDATED || kind == Kind.UPDATED_AND_EXPIRED;
  }

  /** Whether the operation has removed the entry. */
  public boolean isRemoval() {
    return kind == Kind.REMOVED;
  }

  /** Whether the cache has to be changed. */
  boolean writes() {
    return isPut() || isRemoval();
  }

  /** The value afterwards; null if there is none. */
  @Nullable V after() {
    return kind == Kind.CREATED || kind == Kind.UPDATED ? value : null;
  }
}
