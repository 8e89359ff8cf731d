package dev.headrace.rebalance.plan;

/**
 * How a search reached each node: a chain in which every node takes a segment from the one before
 * and so has one too many itself, until one has room. The first takes an owner's place that nobody
 * holds. Instead of a segment a node may take the right to be rounded up. Not thread-safe.
 */
final class Chain {
  static final int START = -1; // stands for the place before the first node of a chain
  private static final int ROUNDING = -1; // stands for the right to be rounded up

  private final Assignment rows;
  private final SegmentLists lists;
  private final int[] from;
  private final int[] via;

  Chain(Assignment rows, SegmentLists lists) {
    this.rows = rows;
    this.lists = lists;
    from = new int[rows.nodes()];
    via = new int[rows.nodes()];
  }

  /** The node takes the segment from another one, or from nobody. */
  void take(int node, int before, int segment) {
    from[node] = before;
    via[node] = segment;
  }

  /** One node is rounded up, and the next is rounded down and has a replica too many. */
  void takeRounding(int node, int before) {
    take(node, before, ROUNDING);
  }

  /**
   * Does what the chain to a node says. All its steps are possible together if it is a shortest
   * one: of two steps that together crowd a segment's zone, or take one owner's place twice, one
   * step from the first's node to the second's would have been possible too.
   */
  void apply(int end) {
    int node = end;
    while (node != START) {
      int before = from[node];
      if (via[node] == ROUNDING) {
        rows.targets().exchange(before, node);
      } else {
        if (before != START) {
          rows.remove(via[node], before);
        }
        rows.add(via[node], node);
        lists.add(node, via[node]);
      }
      node = before;
    }
  }
}
