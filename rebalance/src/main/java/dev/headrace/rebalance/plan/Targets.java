package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.FairShares;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas each node shall hold: its fair share, rounded down or up.
 *
 * <p>As many nodes are rounded up as the total asks for, first those that hold so much already:
 * each of them saves a copy. A greedy choice is right, since the nodes that may be rounded up
 * together (no zone above what it can hold) form a matroid. Which nodes are rounded up may be
 * exchanged later. Not thread-safe.
 */
final class Targets {
  private final int[] least;
  private final int[] most;
  private final int[] wanted;
  private final FairShares shares;
  private final int[] zoneRoom; // for each zone how many of its nodes may still be rounded up

  Targets(FairShares shares, int segments, int[] held) {
    double[] exact = shares.replicas();
    least = new int[exact.length];
    most = new int[exact.length];
    wanted = new int[exact.length];
    this.shares = shares;
    zoneRoom = zoneRoom(shares, segments);
    int open = Math.multiplyExact(segments, shares.owners());
    for (int node = 0; node < exact.length; node++) {
      least[node] = FairShares.least(exact[node]);
      most[node] = FairShares.most(exact[node]);
      wanted[node] = least[node];
      zoneRoom[shares.zone(node)] -= least[node];
      open -= least[node];
    }
    open = roundUp(open, held);
    open = roundUp(open, null);
    if (open != 0) {
      throw new IllegalStateException(open + " replicas fit nowhere; please report this");
    }
  }

  int of(int node) {
    return wanted[node];
  }

  /** Replicas that nodes get, at least: the sum of what each has too few of what it held. */
  int copies(int[] held) {
    return IntStream.range(0, held.length)
        .map(node -> Math.max(0, wanted[node] - held[node]))
        .sum();
  }

  /** Whether one node may be rounded up for another that is rounded down instead. */
  boolean mayExchange(int up, int down) {
    return wanted[up] < most[up]
        && wanted[down] > least[down]
        && (shares.zone(up) == shares.zone(down) || zoneRoom[shares.zone(up)] > 0);
  }

  void exchange(int up, int down) {
    wanted[up]++;
    zoneRoom[shares.zone(up)]--;
    wanted[down]--;
    zoneRoom[shares.zone(down)]++;
  }

  /** Rounds nodes up: those that hold so much already, or all if {@code held} is null. */
  private int roundUp(int open, int @Nullable [] held) {
    int left = open;
    for (int node = 0; node < wanted.length && left > 0; node++) {
      boolean possible = wanted[node] < most[node] && zoneRoom[shares.zone(node)] > 0;
      if (possible && (held == null || held[node] >= most[node])) {
        wanted[node]++;
        zoneRoom[shares.zone(node)]--;
        left--;
      }
    }
    return left;
  }

  private static int[] zoneRoom(FairShares shares, int segments) {
    int[] room = new int[shares.zones()];
    for (int node = 0; node < shares.nodes(); node++) {
      room[shares.zone(node)] =
          Math.min(room[shares.zone(node)] + segments, segments * shares.ownersPerZone());
    }
    return room;
  }
}
