package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * What is fair: how many owners a segment has, how many of them in one zone, and each node's exact
 * part of all replicas and primaries, a real number.
 *
 * <p>Parts are in proportion to the capacities, except where a node or its zone would get more than
 * it can hold. Rows that keep to them always exist: with whole numbers too, the one below or the
 * one above each part. Nodes are named by their places in the list. Immutable.
 */
public final class FairShares {

  /** Parts come from divisions; what is this near to a whole number is meant to be one. */
  private static final double ROUNDING = 1e-6;

  private final Nodes nodes;
  private final int segments;

  /**
   * Works out what is fair.
   *
   * @param holders the nodes that may own segments, all with a capacity
   * @param segments number of segments
   * @param configuredOwners replicas each segment should have
   */
  public FairShares(List<Member> holders, int segments, int configuredOwners) {
    this(new Nodes(holders, configuredOwners), segments);
  }

  FairShares(Nodes nodes, int segments) {
    this.nodes = nodes;
    this.segments = segments;
  }

  public int nodes() {
    return nodes.count();
  }

  public int zones() {
    return nodes.zoneCount;
  }

  public int zone(int node) {
    return nodes.zones[node];
  }

  /** Owners of one segment: as many as configured, or as there are nodes. */
  public int owners() {
    return nodes.owners;
  }

  /** The most owners of one segment in one zone: as few as the zones allow. */
  public int ownersPerZone() {
    return nodes.ownersPerZone;
  }

  /**
   * Each node's part of the replicas. No node holds a segment twice, nor a zone more than its part
   * of a segment; what is left over goes to the others in proportion.
   */
  public double[] replicas() {
    double[] shares = new double[nodes.count()];
    double[] caps = new double[shares.length];
    Arrays.fill(caps, segments);
    boolean[] pinned = new boolean[nodes.zoneCount];
    double left = (double) segments * nodes.owners;
    boolean settled = false;
    while (!settled) {
      fill(where(node -> !pinned[nodes.zones[node]]), left, caps, shares);
      settled = true;
      for (int zone = 0; zone < pinned.length; zone++) {
        int number = zone;
        int[] inZone = where(node -> nodes.zones[node] == number);
        double room = (double) segments * Math.min(inZone.length, nodes.ownersPerZone);
        if (!pinned[zone] && sum(shares, inZone) > room + ROUNDING) {
          pinned[zone] = true;
          fill(inZone, room, caps, shares);
          left -= room;
          settled = false;
        }
      }
    }
    return shares;
  }

  /** Each node's part of the primaries, none greater than the replicas that it holds. */
  public double[] primaries(int[] held) {
    double[] shares = new double[held.length];
    fill(where(node -> true), segments, IntStream.of(held).asDoubleStream().toArray(), shares);
    return shares;
  }

  /** Divides a total among some nodes by their weights; none gets more than its cap. */
  private void fill(int[] among, double total, double[] caps, double[] shares) {
    double[] weights = nodes.weights;
    int[] open = among;
    double left = total;
    while (open.length > 0) {
      double rate = left / sum(weights, open);
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

  private int[] where(IntPredicate chosen) {
    return IntStream.range(0, nodes.count()).filter(chosen).toArray();
  }

  private static double sum(double[] values, int[] at) {
    return IntStream.of(at).mapToDouble(i -> values[i]).sum();
  }

  /** The whole number below a part. */
  public static int least(double share) {
    return (int) Math.floor(share + ROUNDING);
  }

  /** The whole number above a part. */
  public static int most(double share) {
    return (int) Math.ceil(share - ROUNDING);
  }
}
