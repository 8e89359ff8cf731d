package dev.headrace.rebalance.placement.locator;

import java.util.function.IntUnaryOperator;

/** What is done with the nodes of a key, in the order of preference. */
public final class Preference {
  /** Draws for every node; those that were not drawn then follow in their order. */
  private static final int DRAWS_PER_NODE = 16;

  private Preference() {}

  /** Whether a node is among the first ones. */
  public static boolean contains(int[] owners, int count, int node) {
    for (int i = 0; i < count; i++) {
      if (owners[i] == node) {
        return true;
      }
    }
    return false;
  }

  /**
   * Draws nodes until there are as many as wanted, none twice.
   *
   * @param nodes how many there are
   * @param draw by the draw's number, from 0: a node, or something negative for none
   * @return how many were put into {@code owners}
   */
  public static int drawn(int nodes, int[] owners, IntUnaryOperator draw) {
    int wanted = Math.min(owners.length, nodes);
    int draws = nodes * DRAWS_PER_NODE;
    int found = 0;
    for (int step = 0; found < wanted; step++) {
      int node = step < draws ? draw.applyAsInt(step) : step - draws;
      if (node >= 0 && !contains(owners, found, node)) {
        owners[found++] = node;
      }
    }
    return found;
  }
}
