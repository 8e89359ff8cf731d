package dev.headrace.cluster.wire.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes that wait to be sent to all other nodes. While they exceed the limit, the
 * connection of a peer that reads nothing is closed sooner; one that reads keeps its connection,
 * since that frees memory. Thread-safe.
 */
public final class QueueMemory {
  /** The least limit. */
  public static final long MIN_BYTES = 32L << 20;

  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();

  /**
   * A limit of a quarter of the largest heap; by default direct memory may be as large as the heap.
   */
  public QueueMemory() {
    this(Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / 4));
  }

  /** A limit of this many bytes. */
  QueueMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(long more) {
    bytes.addAndGet(more);
  }

  /** About how many bytes wait now. */
  long bytes() {
    return bytes.get();
  }

  boolean isOverdrawn() {
    return bytes.get() > maxBytes;
  }
}
