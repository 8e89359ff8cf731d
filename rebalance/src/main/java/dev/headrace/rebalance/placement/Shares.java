package dev.headrace.rebalance.placement;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The exact part of each node, a real number: in proportion to its capacity, except where it or its
 * zone would get more than it can hold; what is left over goes to the others in proportion.
 */
final class Shares {

  private Shares() {}

  /** Replicas per node; none holds a segment twice, nor a zone more than its part of a segment. */
  static double[] ofOwners(Nodes nodes, int segments) {
    double[] shares = new double[nodes.count()];
    double[] caps = new double[shares.length];
    Arrays.fill(caps, segments);
    boolean[] pinned = new boolean[nodes.zoneCount];
    double left = (double) segments * nodes.owners;
    boolean settled = false;
    while (!settled) {
      int[] open = where(nodes, pinned);
      fill(open, left, nodes.weights, caps, shares);
      settled = true;
      for (int zone = 0; zone < pinned.length; zone++) {
        int[] inZone = inZone(nodes, zone);
        double room = (double) segments * Math.min(inZone.length, nodes.ownersPerZone);
        if (!pinned[zone] && sum(shares, inZone) > room + 1e-6) {
          pinned[zone] = true;
          fill(inZone, room, nodes.weights, caps, shares);
          left -= room;
          settled = false;
        }
      }
    }
    return shares;
  }

  /** Primaries per node, of which none can have more than the replicas it holds. */
  static double[] ofPrimaries(Nodes nodes, int segments, int[] held) {
    double[] shares = new double[held.length];
    double[] caps = IntStream.of(held).asDoubleStream().toArray();
    fill(IntStream.range(0, held.length).toArray(), segments, nodes.weights, caps, shares);
    return shares;
  }

  private static void fill(
      int[] nodes, double total, double[] weights, double[] caps, double[] shares) {
    int[] open = nodes;
    double left = total;
    while (open.length > 0) {
      double weight = sum(weights, open);
      double rate = left / weight;
      int[] full = IntStream.of(open).filter(node -> rate * weights[node] >= caps[node]).toArray();
      if (full.length == 0) {
        IntStream.of(open).forEach(node -> shares[node] = rate * weights[node]);
        return;
      }
      for (int node : full) {
        shares[node] = caps[node];
        left -= caps[node];
      }
      open = IntStream.of(open).filter(node -> rate * weights[node] < caps[node]).toArray();
    }
  }

  private static int[] where(Nodes nodes, boolean[] pinned) {
    return IntStream.range(0, nodes.count()).filter(node -> !pinned[nodes.zones[node]]).toArray();
  }

  private static int[] inZone(Nodes nodes, int zone) {
    return IntStream.range(0, nodes.count()).filter(node -> nodes.zones[node] == zone).toArray();
  }

  private static double sum(double[] values, int[] at) {
    return IntStream.of(at).mapToDouble(i -> values[i]).sum();
  }
}
