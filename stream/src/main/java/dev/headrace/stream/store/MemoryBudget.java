package dev.headrace.stream.store;

import java.util.concurrent.atomic.LongAdder;

/**
 * How much heap a node's stores may take, and how much they take: the tables and pages of all
 * replicas, counted from their arrays.
 *
 * <p>The budget counts and refuses nothing. A primary asks {@link #hasRoom} before it accepts a
 * write, and other owners accept what their primary has accepted. A part of the limit is reserved
 * for that, and for segments under rewrite, which for a moment take their heap twice. Thread-safe.
 */
public final class MemoryBudget {
  /** One part in so many of the limit is reserved. */
  private static final int RESERVED_PART = 16;

  /** Memory is tight if less than one part in so many of the limit is free. */
  private static final int TIGHT_PART = 8;

  private final long limitBytes;
  private final LongAdder usedBytes = new LongAdder();

  /**
   * @param limitBytes the most bytes that the stores may take, at least 1
   */
  public MemoryBudget(long limitBytes) {
    if (limitBytes < 1) {
      throw new IllegalArgumentException("limitBytes must be at least 1, but is " + limitBytes);
    }
    this.limitBytes = limitBytes;
  }

  /** A budget without a limit. */
  public static MemoryBudget unlimited() {
    return new MemoryBudget(Long.MAX_VALUE);
  }

  /** How many bytes a node with this limit and this use may still accept. */
  public static long roomBytes(long limitBytes, long usedBytes) {
    return limitBytes - limitBytes / RESERVED_PART - usedBytes;
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** The bytes that the stores take now. Not a snapshot. */
  public long usedBytes() {
    return usedBytes.sum();
  }

  /** Whether an entry of this length may be accepted. */
  public boolean hasRoom(long entryBytes) {
    return entryBytes <= roomBytes(limitBytes, usedBytes());
  }

  /** Whether so little is free that segments should drop dead bytes early. */
  public boolean isTight() {
    return usedBytes() > limitBytes - limitBytes / TIGHT_PART;
  }

  /** Counts bytes that were taken, or freed if negative. */
  void count(long bytes) {
    usedBytes.add(bytes);
  }
}
