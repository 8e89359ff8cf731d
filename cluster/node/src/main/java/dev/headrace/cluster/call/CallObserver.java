package dev.headrace.cluster.call;

/**
 * Hears of the operations that a node begins for its own callers, loads and computations included,
 * and for its catalogue. Called on any thread; a method must be short and must not block.
 */
public interface CallObserver {

  /** A value was read from a replica of this node itself, and nobody else was asked. */
  void readHere();

  /**
   * An operation has ended that went to an owner, which may be this node.
   *
   * @param operation such as {@code get}, {@code put-if-absent} or, for what one node is asked of a
   *     bulk read, {@code get-all}; each attempt of a computation is an operation
   * @param nanos how long it took
   * @param failed whether it has no result
   */
  void ended(String operation, long nanos, boolean failed);
}
