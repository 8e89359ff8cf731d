package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.FairShares;

/**
 * Decides who shall own which segment, with the least number of copies.
 *
 * <p>First the totals: what each node shall hold. Then every node keeps what it has up to its
 * total, and the places that are open are filled from the nodes that have too little: nearly all
 * directly, the last few along chains in which one node hands a segment to the next.
 *
 * <p>The copies are the fewest, because the whole is a flow of least cost: {@link FreeChains}
 * leaves no chain that costs nothing, a direct copy costs one and so is the cheapest chain from
 * then on, and {@link CheapestChains} takes the cheapest for the rest. Each step keeps the flow one
 * of least cost for the places filled so far. Pure function.
 */
final class Replicas {
  private interface Choice {
    boolean allows(int segment, int node);
  }

  private final Assignment rows;
  private final int[] order;

  private int excess;

  private Replicas(Assignment rows, int[] order) {
    this.rows = rows;
    this.order = order;
  }

  static Assignment decide(Situation now, FairShares shares, long budgetSteps) {
    Assignment rows = new Assignment(now, shares);
    int[] order = now.shuffled();
    Replicas replicas = new Replicas(rows, order);
    replicas.trim();
    replicas.fill(budgetSteps);
    return rows;
  }

  /**
   * Takes replicas away: owners that crowd a zone or are too many, and what nodes hold above their
   * targets.
   */
  private void trim() {
    for (int segment : order) {
      uncrowd(segment);
      shed(segment);
    }
    for (int node = 0; node < rows.nodes(); node++) {
      excess += Math.max(0, rows.excess(node));
    }
    // At most one of each segment, so that it is copied from the owners that stay, and first where
    // a node that has too little may take it.
    trim((segment, node) -> rows.missing(segment) == 0 && isWanted(segment, node));
    trim((segment, node) -> rows.missing(segment) == 0);
    while (excess > 0) {
      trim((segment, node) -> true);
    }
  }

  private void trim(Choice choice) {
    for (int at = 0; at < order.length && excess > 0; at++) {
      int segment = order[at];
      int node = fullest(segment, choice);
      if (node != Situation.NONE && rows.excess(node) > 0) {
        rows.remove(segment, node);
        excess--;
      }
    }
  }

  private void uncrowd(int segment) {
    int node = fullest(segment, rows::crowds);
    while (node != Situation.NONE) {
      rows.remove(segment, node);
      node = fullest(segment, rows::crowds);
    }
  }

  /** An owner goes after another has come, and a plan may be made between. */
  private void shed(int segment) {
    while (rows.missing(segment) < 0) {
      rows.remove(segment, fullest(segment, (any, node) -> true));
    }
  }

  private boolean isWanted(int segment, int node) {
    if (rows.excess(node) <= 0) {
      return false;
    }
    for (int taker = 0; taker < rows.nodes(); taker++) {
      if (rows.wantsMore(taker) && rows.mayReplace(segment, node, taker)) {
        return true;
      }
    }
    return false;
  }

  /** The owner with the greatest excess of those that may be chosen; the last among equals. */
  private int fullest(int segment, Choice choice) {
    int fullest = Situation.NONE;
    for (int index = 0; index < rows.size(segment); index++) {
      int node = rows.node(segment, index);
      boolean fuller = fullest == Situation.NONE || rows.excess(node) >= rows.excess(fullest);
      if (fuller && choice.allows(segment, node)) {
        fullest = node;
      }
    }
    return fullest;
  }

  private void fill(long budgetSteps) {
    for (int segment : order) {
      if (rows.lost(segment)) {
        fillDirectly(segment);
      }
    }
    SegmentLists lists = SegmentLists.of(rows);
    boolean[] free = new FreeChains(rows, lists).run();
    for (int segment : order) {
      fillDirectly(segment);
    }
    // What was filled directly is not in the lists yet.
    CheapestChains chains = new CheapestChains(rows, SegmentLists.of(rows), free, budgetSteps);
    for (int segment : order) {
      while (rows.missing(segment) > 0) {
        chains.fill(segment);
      }
    }
  }

  /** Gives the segment to the nodes that have the most room, as far as they may own it. */
  private void fillDirectly(int segment) {
    boolean found = true;
    while (found && rows.missing(segment) > 0) {
      int emptiest = emptiest(segment);
      found = emptiest != Situation.NONE;
      if (found) {
        rows.add(segment, emptiest);
      }
    }
  }

  /**
   * The node that lacks most; among equals the first from a place drawn by a hash. In the order of
   * their numbers neighbours would always be chosen together, and own the same segments.
   */
  private int emptiest(int segment) {
    int emptiest = Situation.NONE;
    int room = 0;
    int node = Situation.draw(segment, rows.missing(segment), rows.nodes());
    for (int tried = 0; tried < rows.nodes(); tried++) {
      if (-rows.excess(node) > room && rows.mayAdd(segment, node)) {
        emptiest = node;
        room = -rows.excess(node);
      }
      node = node + 1 == rows.nodes() ? 0 : node + 1;
    }
    return emptiest;
  }
}
