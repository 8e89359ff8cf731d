package dev.headrace.rebalance.placement.ring;

/** Finds the node of the first point at or behind a position on a ring. Immutable. */
interface RingLookup {
  /**
   * The node that owns a position.
   *
   * @param position an unsigned number
   */
  int node(int position);

  /** Bytes that look-ups read. */
  long bytes();
}
