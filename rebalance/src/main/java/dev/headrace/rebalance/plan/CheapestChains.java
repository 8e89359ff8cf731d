package dev.headrace.rebalance.plan;

import java.util.Arrays;

/**
 * Fills one owner's place after the other along the chain that copies least.
 *
 * <p>This is the successive shortest path method for a flow of least cost (Jewell 1958; with
 * potentials, so that Dijkstra's search applies, Edmonds and Karp 1972; Tomizawa 1971), on a graph
 * whose vertices are the nodes only: a step from one node to another is any segment that may move
 * between them, found when the search comes by. A step costs a copy if the receiver did not own the
 * segment, and saves one if the giver did not.
 *
 * <p>The searches together look at no more than {@code budgetSteps} pairs of a segment and a node
 * before they stop to count copies; from then on the chain with the fewest steps is taken. Not
 * thread-safe.
 */
final class CheapestChains {
  private static final int FAR = Integer.MAX_VALUE / 4;

  private final Assignment rows;
  private final SegmentLists lists;
  private final Chain chain;
  private final int[] potentials;
  private final int[] distances;
  private final int[] steps;
  private final boolean[] settled;
  private final int[] open; // nodes that a better way may lead to from the node that is looked at
  private int opened;
  private int goalPotential;
  private int goalDistance;
  private int goalSteps;
  private boolean costsCount = true;
  private long budgetSteps;

  /**
   * Prepares the search.
   *
   * @param free for each node whether an open place can be moved onto it without a copy; a node
   *     with room is none of them
   */
  CheapestChains(Assignment rows, SegmentLists lists, boolean[] free, long budgetSteps) {
    this.rows = rows;
    this.lists = lists;
    this.budgetSteps = budgetSteps;
    chain = new Chain(rows, lists);
    potentials = new int[free.length];
    distances = new int[free.length];
    steps = new int[free.length];
    settled = new boolean[free.length];
    open = new int[free.length];
    for (int node = 0; node < free.length; node++) {
      potentials[node] = free[node] ? 0 : 1;
    }
    goalPotential = 1;
  }

  /** Fills an open place of a segment. */
  void fill(int segment) {
    if (costsCount && budgetSteps < 0) {
      costsCount = false;
      goalPotential = 0;
      Arrays.fill(potentials, 0);
    }
    int end = search(segment);
    if (end == Situation.NONE) {
      throw new IllegalStateException(
          "No node can own segment " + segment + "; please report this");
    }
    for (int node = 0; node < potentials.length; node++) {
      potentials[node] -= Math.max(0, goalDistance - distances[node]);
    }
    chain.apply(end);
  }

  private int search(int segment) {
    start(segment);
    int end = Situation.NONE;
    int node = nearest();
    while (node != Situation.NONE
        && isLess(distances[node], steps[node], goalDistance, goalSteps)) {
      settled[node] = true;
      int distance = distances[node] + potentials[node] - goalPotential;
      if (rows.wantsMore(node) && isLess(distance, steps[node], goalDistance, goalSteps)) {
        end = node;
        goalDistance = distance;
        goalSteps = steps[node];
      }
      exchangeRounding(node);
      expand(node);
      node = nearest();
    }
    return end;
  }

  private void start(int segment) {
    Arrays.fill(distances, FAR);
    Arrays.fill(steps, 0);
    Arrays.fill(settled, false);
    goalDistance = FAR;
    goalSteps = 0;
    budgetSteps -= distances.length;
    for (int node = 0; node < distances.length; node++) {
      if (rows.mayAdd(segment, node)) {
        distances[node] = cost(segment, node) - potentials[node];
        steps[node] = 1;
        chain.take(node, Chain.START, segment);
      }
    }
  }

  private int nearest() {
    int nearest = Situation.NONE;
    for (int node = 0; node < distances.length; node++) {
      boolean reached = !settled[node] && distances[node] < FAR;
      if (reached
          && (nearest == Situation.NONE
              || isLess(distances[node], steps[node], distances[nearest], steps[nearest]))) {
        nearest = node;
      }
    }
    return nearest;
  }

  private void exchangeRounding(int from) {
    for (int to = 0; to < distances.length; to++) {
      int distance = distances[from] + potentials[from] - potentials[to];
      if (isNearer(distance, steps[from] + 1, to) && rows.targets().mayExchange(from, to)) {
        improve(to, distance, steps[from] + 1);
        chain.takeRounding(to, from);
      }
    }
  }

  private void expand(int from) {
    int next = steps[from] + 1;
    // No step leads back in distance, so a node that was reached without any needs no other way.
    opened = 0;
    for (int to = 0; to < distances.length; to++) {
      if (isNearer(distances[from], next, to)) {
        open[opened++] = to;
      }
    }
    for (int index = 0; index < lists.size(from) && opened > 0; index++) {
      int segment = lists.get(from, index);
      if (rows.holds(segment, from)) {
        pass(segment, from, next);
      }
    }
  }

  /** Looks where a segment can go. */
  private void pass(int segment, int from, int next) {
    int base = distances[from] + potentials[from] - cost(segment, from);
    budgetSteps -= opened;
    for (int at = opened - 1; at >= 0; at--) {
      int to = open[at];
      int distance = base - potentials[to];
      if (isNearer(distance, next, to)) {
        distance += cost(segment, to);
        if (isNearer(distance, next, to) && rows.mayReplace(segment, from, to)) {
          improve(to, distance, next);
          chain.take(to, from, segment);
          if (distance == distances[from]) {
            open[at] = open[--opened];
            if (endsAt(to, distance)) {
              opened = 0;
              return;
            }
          }
        }
      }
    }
  }

  /** Whether a node that was reached without any distance has room, so that none can be nearer. */
  private boolean endsAt(int node, int distance) {
    return rows.wantsMore(node) && potentials[node] == goalPotential && distance < goalDistance;
  }

  private int cost(int segment, int node) {
    return costsCount ? rows.cost(segment, node) : 0;
  }

  private boolean isNearer(int distance, int atSteps, int node) {
    return !settled[node] && isLess(distance, atSteps, distances[node], steps[node]);
  }

  private void improve(int node, int distance, int atSteps) {
    distances[node] = distance;
    steps[node] = atSteps;
  }

  private static boolean isLess(int distance, int steps, int thanDistance, int thanSteps) {
    return distance < thanDistance || (distance == thanDistance && steps < thanSteps);
  }
}
