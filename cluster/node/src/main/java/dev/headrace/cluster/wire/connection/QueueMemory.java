package dev.headrace.cluster.wire.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What waits to be sent to all other nodes together. While it is more than it should be, a peer
 * that takes nothing is given up sooner; one that takes something is not, as that is how it becomes
 * less. Thread-safe.
 */
public final class QueueMemory {
  /** The least that may wait. */
  public static final long MIN_BYTES = 32L << 20;

  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();

  /** A quarter of the largest heap, which is how much direct memory there is by default. */
  public QueueMemory() {
    this(Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / 4));
  }

  /** A memory of so many bytes. */
  QueueMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(long more) {
    bytes.addAndGet(more);
  }

  /** About what waits now. */
  long bytes() {
    return bytes.get();
  }

  boolean isOverdrawn() {
    return bytes.get() > maxBytes;
  }
}
