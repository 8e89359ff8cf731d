package dev.headrace.replication.log;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node retains of the changes of all its segments, for whoever reads them later: bounded in
 * bytes over all caches. When there is too much, the block that was begun first is dropped,
 * whatever its segment. Thread-safe, without a lock of its own.
 */
public final class ChangeRetention {
  private final long maxBytes;
  private final boolean previousValues;
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<ChangeLog.Block> oldest = new ConcurrentLinkedQueue<>();

  /**
   * @param maxBytes the most bytes that are retained; 0 to retain nothing
   * @param previousValues whether the value before a change is retained, too
   */
  public ChangeRetention(long maxBytes, boolean previousValues) {
    this.maxBytes = maxBytes;
    this.previousValues = previousValues;
  }

  /** Whether anything is retained. */
  public boolean retains() {
    return maxBytes > 0;
  }

  /** Whether the values before changes are retained. */
  public boolean retainsPrevious() {
    return previousValues && maxBytes > 0;
  }

  /** The most bytes that are retained. */
  public long maxBytes() {
    return maxBytes;
  }

  /** How many bytes are retained now. */
  public long bytes() {
    return bytes.get();
  }

  /** The most bytes of a block that holds more than one change. */
  int blockBytes() {
    return (int) Math.max(1 << 10, Math.min(ChangeLog.MAX_BLOCK_BYTES, maxBytes / 64));
  }

  void begun(ChangeLog.Block block) {
    oldest.add(block);
  }

  void took(long more) {
    bytes.addAndGet(more);
  }

  void gaveBack(long less) {
    bytes.addAndGet(-less);
  }

  /** Drops the oldest blocks until the bound is kept. The caller holds no log's monitor. */
  void shrink() {
    while (bytes.get() > maxBytes) {
      ChangeLog.Block block = oldest.poll();
      if (block == null) {
        return;
      }
      block.drop();
    }
  }
}
