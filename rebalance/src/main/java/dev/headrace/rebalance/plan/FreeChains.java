package dev.headrace.rebalance.plan;

import java.util.Arrays;

/**
 * Fills owners' places along chains that copy nothing, as long as there are any: each node takes
 * back what it held, and gives something else it held in return. There are such chains only where
 * zones made a node give away what it has too little of, or segments are lost. Breadth first, from
 * all open places at once. Not thread-safe.
 */
final class FreeChains {
  private final Assignment rows;
  private final SegmentLists lists;
  private final Chain chain;
  private final boolean[] reached;
  private final int[] queue;
  private int queued;

  FreeChains(Assignment rows, SegmentLists lists) {
    this.rows = rows;
    this.lists = lists;
    chain = new Chain(rows, lists);
    reached = new boolean[rows.nodes()];
    queue = new int[rows.nodes()];
  }

  /**
   * Runs until there are none.
   *
   * @return for each node whether an open place could still be moved onto it for nothing
   */
  boolean[] run() {
    int end = search();
    while (end != Situation.NONE) {
      chain.apply(end);
      end = search();
    }
    return reached;
  }

  /** The first node with room that is reached, {@link Situation#NONE} if none is. */
  private int search() {
    Arrays.fill(reached, false);
    queued = 0;
    for (int segment = 0; segment < rows.segments(); segment++) {
      if (rows.missing(segment) > 0) {
        reach(segment, Chain.START);
      }
    }
    for (int at = 0; at < queued; at++) {
      int node = queue[at];
      if (rows.wantsMore(node)) {
        return node;
      }
      expand(node);
    }
    return Situation.NONE;
  }

  private void expand(int node) {
    for (int index = 0; index < lists.size(node) && queued < queue.length; index++) {
      int segment = lists.get(node, index);
      if (rows.holds(segment, node) && rows.cost(segment, node) == 0) {
        reach(segment, node);
      }
    }
    for (int next = 0; next < queue.length; next++) {
      if (!reached[next] && rows.targets().mayExchange(node, next)) {
        chain.takeRounding(next, node);
        reach(next);
      }
    }
  }

  private void reach(int segment, int from) {
    if (rows.lost(segment)) {
      for (int node = 0; node < queue.length; node++) {
        reach(segment, from, node);
      }
    } else {
      for (int node : rows.formerOwners(segment)) {
        reach(segment, from, node);
      }
    }
  }

  private void reach(int segment, int from, int node) {
    boolean allowed =
        !reached[node]
            && (from == Chain.START
                ? rows.mayAdd(segment, node)
                : rows.mayReplace(segment, from, node));
    if (allowed) {
      chain.take(node, from, segment);
      reach(node);
    }
  }

  private void reach(int node) {
    reached[node] = true;
    queue[queued++] = node;
  }
}
