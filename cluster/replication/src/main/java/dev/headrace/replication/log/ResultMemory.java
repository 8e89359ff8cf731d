package dev.headrace.replication.log;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the results that are kept for callers: one for the node, which bounds them, and one
 * for each of its caches, which counts what it has of these. Thread-safe.
 */
public final class ResultMemory {

  /**
   * The most bytes of results that a node keeps unless it is told otherwise. What is beyond it
   * loses its value first, so that a repetition is answered as unknown; of a result nobody can do
   * without, some bytes may be beyond.
   */
  public static final long MAX_BYTES = 64L << 20;

  private final @Nullable ResultMemory node;
  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();

  /** The node's. */
  public ResultMemory() {
    this(null, MAX_BYTES);
  }

  /** A node's with another bound. */
  public ResultMemory(long maxBytes) {
    this(null, maxBytes);
  }

  private ResultMemory(@Nullable ResultMemory node, long maxBytes) {
    this.node = node;
    this.maxBytes = maxBytes;
  }

  /** A cache's share of this. */
  public ResultMemory ofCache() {
    return new ResultMemory(this, Long.MAX_VALUE);
  }

  /** The bytes that are kept now. */
  public long bytes() {
    return bytes.get();
  }

  /** Takes room; false if there is not that much. */
  boolean take(long more) {
    if (node != null && !node.take(more)) {
      return false;
    }
    if (bytes.addAndGet(more) > maxBytes) {
      bytes.addAndGet(-more);
      return false;
    }
    return true;
  }

  /** Takes room even if there is none. */
  void takeAnyway(long more) {
    bytes.addAndGet(more);
    if (node != null) {
      node.takeAnyway(more);
    }
  }

  void giveBack(long less) {
    takeAnyway(-less);
  }
}
