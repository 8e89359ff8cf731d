package dev.headrace.replication.log;

import dev.headrace.stream.StripedPermits;
import java.util.concurrent.atomic.LongAdder;

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

  /** What a thread takes from the node's bound at once, so that many threads seldom meet there. */
  private static final long CHUNK_BYTES = 64 << 10;

  private final boolean ofNode;
  private final StripedPermits bound; // the node's
  private final LongAdder bytes = new LongAdder(); // of a cache

  /** The node's. */
  public ResultMemory() {
    this(MAX_BYTES);
  }

  /** A node's with another bound. */
  public ResultMemory(long maxBytes) {
    this(true, new StripedPermits(maxBytes, CHUNK_BYTES));
  }

  private ResultMemory(boolean ofNode, StripedPermits bound) {
    this.ofNode = ofNode;
    this.bound = bound;
  }

  /** A cache's share of this. */
  public ResultMemory ofCache() {
    return new ResultMemory(false, bound);
  }

  /** The bytes that are kept now. */
  public long bytes() {
    return ofNode ? bound.taken() : bytes.sum();
  }

  /** Takes room; false if there is not that much. */
  boolean take(long more) {
    if (!bound.take(more)) {
      return false;
    }
    bytes.add(more);
    return true;
  }

  /** Takes room even if there is none. */
  void takeAnyway(long more) {
    bound.takeAnyway(more);
    bytes.add(more);
  }

  void giveBack(long less) {
    bound.giveBack(less);
    bytes.add(-less);
  }
}
