package dev.headrace.stream.store;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many bytes of heap a node's stores may take, and how many they take: the tables and pages of
 * all replicas, counted from their arrays.
 *
 * <p>It counts and refuses nothing: whoever is about to write asks {@link #hasRoom} first, so that
 * replicas can always take what their primary has let in. A part of the limit is kept back for
 * that, and for segments that are rewritten, which lie in the heap twice for a moment. Thread-safe.
 */
public final class MemoryBudget {
  /** One part in so many of the limit is kept back. */
  private static final int RESERVED_PART = 16;

  /** With less than one part in so many of the limit free, memory is tight. */
  private static final int TIGHT_PART = 8;

  private final long limitBytes;
  private final LongAdder usedBytes = new LongAdder();

  /**
   * @param limitBytes the most bytes that writes may fill; at least 1
   */
  public MemoryBudget(long limitBytes) {
    if (limitBytes < 1) {
      throw new IllegalArgumentException("limitBytes must be at least 1, but is " + limitBytes);
    }
    this.limitBytes = limitBytes;
  }

  /** A budget that is never used up. */
  public static MemoryBudget unlimited() {
    return new MemoryBudget(Long.MAX_VALUE);
  }

  /** The bytes that a node with this limit and this use can still take. */
  public static long roomBytes(long limitBytes, long usedBytes) {
    return limitBytes - limitBytes / RESERVED_PART - usedBytes;
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** The bytes that are taken now; a moving sum. */
  public long usedBytes() {
    return usedBytes.sum();
  }

  /** Whether an entry of this length may be written. */
  public boolean hasRoom(long entryBytes) {
    return entryBytes <= roomBytes(limitBytes, usedBytes());
  }

  /** Whether so little is free that dead bytes are worth being given back early. */
  public boolean isTight() {
    return usedBytes() > limitBytes - limitBytes / TIGHT_PART;
  }

  /** Counts bytes that were taken, or given back if negative. */
  void count(long bytes) {
    usedBytes.add(bytes);
  }
}
