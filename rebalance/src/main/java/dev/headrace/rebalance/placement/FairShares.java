package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private final double[] weights;
  private final int[] zones; // for each node the number of its zone
  private final int zoneCount;
  private final int segments;
  private final int owners;
  private final int ownersPerZone;

  /**
   * Works out what is fair.
   *
   * @param holders the nodes that may own segments, all with a capacity
   * @param segments number of segments
   * @param configuredOwners replicas each segment should have
   */
  public FairShares(List<Member> holders, int segments, int configuredOwners) {
    this.segments = segments;
    weights = holders.stream().mapToDouble(Member::capacity).toArray();
    zones = new int[weights.length];
    Map<String, Integer> numbers = new HashMap<>();
    for (int node = 0; node < zones.length; node++) {
      String zone = holders.get(node).zone();
      zones[node] = numbers.computeIfAbsent(zone, first -> numbers.size());
    }
    zoneCount = numbers.size();
    owners = Math.min(configuredOwners, zones.length);
    int[] zoneSizes = new int[zoneCount];
    IntStream.of(zones).forEach(zone -> zoneSizes[zone]++);
    int perZone = 1;
    while (room(zoneSizes, perZone) < owners) {
      perZone++;
    }
    ownersPerZone = perZone;
  }

  private static int room(int[] zoneSizes, int perZone) {
    return IntStream.of(zoneSizes).map(size -> Math.min(size, perZone)).sum();
  }

  public int nodes() {
    return zones.length;
  }

  public int zones() {
    return zoneCount;
  }

  public int zone(int node) {
    return zones[node];
  }

  /** Owners of one segment: as many as configured, or as there are nodes. */
  public int owners() {
    return owners;
  }

  /** The most owners of one segment in one zone: as few as the zones allow. */
  public int ownersPerZone() {
    return ownersPerZone;
  }

  /**
   * Each node's part of the replicas. No node holds a segment twice, nor a zone more than its part
   * of a segment; what is left over goes to the others in proportion.
   */
  public double[] replicas() {
    double[] shares = new double[zones.length];
    double[] caps = new double[shares.length];
    Arrays.fill(caps, segments);
    boolean[] pinned = new boolean[zoneCount];
    double left = (double) segments * owners;
    boolean settled = false;
    while (!settled) {
      fill(where(node -> !pinned[zones[node]]), left, caps, shares);
      settled = true;
      for (int zone = 0; zone < pinned.length; zone++) {
        int number = zone;
        int[] inZone = where(node -> zones[node] == number);
        double room = (double) segments * Math.min(inZone.length, ownersPerZone);
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
    return IntStream.range(0, zones.length).filter(chosen).toArray();
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
