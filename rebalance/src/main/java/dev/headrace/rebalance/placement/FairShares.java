package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.List;
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
    this.nodes = new Nodes(holders, IntStream.range(0, holders.size()).toArray(), configuredOwners);
    this.segments = segments;
  }

  /** How many nodes there are. */
  public int nodes() {
    return nodes.count();
  }

  /** How many zones the nodes lie in. */
  public int zones() {
    return nodes.zoneCount;
  }

  /** The number of a node's zone. */
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

  /** Each node's part of the replicas. */
  public double[] replicas() {
    return Shares.ofOwners(nodes, segments);
  }

  /** Each node's part of the primaries, none greater than the replicas that it holds. */
  public double[] primaries(int[] held) {
    return Shares.ofPrimaries(nodes, segments, held);
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
