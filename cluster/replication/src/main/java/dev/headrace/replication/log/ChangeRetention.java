package dev.headrace.replication.log;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node retains of the changes of all its segments, for whoever reads them later: bounded in
 * bytes over all caches. When there is too much, the block that was begun first is dropped,
 * whatever its segment. Thread-safe: its monitor guards the order of the blocks, and nothing else
 * is locked under it.
 */
public final class ChangeRetention {
  private final long maxBytes;
  private final boolean previousValues;
  private final AtomicLong bytes = new AtomicLong();

  /** In the order in which they were begun. */
  private final Set<ChangeLog.Block> blocks = new LinkedHashSet<>();

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

  /** How many bytes are retained now. */
  public long bytes() {
    return bytes.get();
  }

  /** How many blocks are retained now. */
  synchronized int blocks() {
    return blocks.size();
  }

  /** The most bytes of a block that holds more than one change. */
  int blockBytes() {
    return (int) Math.max(1 << 10, Math.min(ChangeLog.MAX_BLOCK_BYTES, maxBytes / 64));
  }

  synchronized void begun(ChangeLog.Block block) {
    blocks.add(block);
  }

  /** A log has given a block up, perhaps since it was the oldest. */
  synchronized void ended(ChangeLog.Block block) {
    blocks.remove(block);
  }

  private synchronized ChangeLog.@Nullable Block takeOldest() {
    Iterator<ChangeLog.Block> all = blocks.iterator();
    ChangeLog.Block oldest = all.hasNext() ? all.next() : null;
    if (oldest != null) {
      all.remove();
    }
    return oldest;
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
      ChangeLog.Block block = takeOldest();
      if (block == null) {
        return;
      }
      block.drop();
    }
  }
}
