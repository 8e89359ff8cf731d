package dev.headrace.api;

/**
 * What a node retains of the changes of its segments, for readers of {@link Cache#changes}. A
 * reader that falls further behind gets a summary. The oldest are dropped first, whatever their
 * cache.
 *
 * @param bytes the most bytes of heap, over all caches; 0 to retain nothing, so that changes cannot
 *     be read
 * @param previousValues whether the value before each change is retained, too, within the same
 *     bytes; each write then reads it
 */
public record RetainedChanges(long bytes, boolean previousValues) {

  /** A part of the largest heap that is retained unless set otherwise. */
  private static final int DEFAULT_PART = 32;

  private static final long LEAST_DEFAULT_BYTES = 1 << 20;

  /** Checks the bytes. */
  public RetainedChanges {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "retainedChanges must be 0 (none) or more bytes, but is " + bytes);
    }
  }

  /** One part in 32 of the largest heap, without previous values. */
  public static RetainedChanges defaults() {
    long part = Runtime.getRuntime().maxMemory() / DEFAULT_PART;
    return ofBytes(Math.max(LEAST_DEFAULT_BYTES, part));
  }

  /** Nothing: changes cannot be read. */
  public static RetainedChanges none() {
    return ofBytes(0);
  }

  /** So many bytes, without previous values. */
  public static RetainedChanges ofBytes(long bytes) {
    return new RetainedChanges(bytes, false);
  }

  /** The same with previous values. */
  public RetainedChanges withPreviousValues() {
    return new RetainedChanges(bytes, true);
  }
}
