package dev.headrace.rebalance.placement.bucket;

import dev.headrace.rebalance.placement.locator.Preference;
import java.util.function.IntUnaryOperator;

/** Draws nodes until there are as many as wanted, none twice. */
final class FurtherNodes {

  /** Draws for every node; those that were not drawn then follow in their order. */
  private static final int DRAWS_PER_NODE = 16;

  private FurtherNodes() {}

  /**
   * Fills in nodes.
   *
   * @param nodes how many there are
   * @param draw by the draw's number, from 0: a node, or something negative for none
   * @return how many were filled in
   */
  static int find(int nodes, int[] owners, IntUnaryOperator draw) {
    int wanted = Math.min(owners.length, nodes);
    int found = 0;
    for (int step = 0; found < wanted && step < nodes * DRAWS_PER_NODE; step++) {
      found = add(owners, found, draw.applyAsInt(step));
    }
    for (int node = 0; found < wanted; node++) {
      found = add(owners, found, node);
    }
    return found;
  }

  private static int add(int[] owners, int found, int node) {
    if (node < 0 || Preference.contains(owners, found, node)) {
      return found;
    }
    owners[found] = node;
    return found + 1;
  }
}
