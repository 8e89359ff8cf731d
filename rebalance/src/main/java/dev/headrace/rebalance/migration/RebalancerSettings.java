package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;

/**
 * Settings of a rebalancer.
 *
 * @param holdNanos how long it waits after a node has joined, for others that may follow
 * @param resendNanos after how long an order without a report is sent again, and after how long a
 *     copy that failed is tried again
 * @param gatherNanos after how long an epoch with few moves may follow the one before, while more
 *     is being copied to
 * @param copiesPerNode how many segments are copied to one node at the same time. A segment that
 *     gets several owners at once waits for room at the first of them only, so that a node may be
 *     filled with more; the bytes in flight are bounded by the sources.
 * @param movesPerCommit the most moves in one epoch
 * @param placement says where segments shall be, if it leads plans
 */
public record RebalancerSettings(
    long holdNanos,
    long resendNanos,
    long gatherNanos,
    int copiesPerNode,
    int movesPerCommit,
    Placement placement) {
  /**
   * Half a second for the first two times, 10 ms to gather, 64 copies to a node, which are as fast
   * as 256 and wait a quarter as long for each other, and 256 moves in an epoch: every epoch is a
   * way through the cluster and back, and every node has to change the roles of its lanes.
   */
  public static RebalancerSettings defaults() {
    return new RebalancerSettings(
        500_000_000L, 500_000_000L, 10_000_000L, 64, 256, new WeightedRendezvous());
  }

  public RebalancerSettings withHoldNanos(long nanos) {
    return new RebalancerSettings(
        nanos, resendNanos, gatherNanos, copiesPerNode, movesPerCommit, placement);
  }

  public RebalancerSettings withMovesPerCommit(int moves) {
    return new RebalancerSettings(
        holdNanos, resendNanos, gatherNanos, copiesPerNode, moves, placement);
  }

  public RebalancerSettings withPlacement(Placement other) {
    return new RebalancerSettings(
        holdNanos, resendNanos, gatherNanos, copiesPerNode, movesPerCommit, other);
  }

  public RebalancerSettings {
    require(holdNanos >= 0, "holdNanos must not be negative, but is " + holdNanos);
    require(gatherNanos >= 0, "gatherNanos must not be negative, but is " + gatherNanos);
    require(resendNanos > 0, "resendNanos must be positive, but is " + resendNanos);
    require(copiesPerNode > 0, "copiesPerNode must be positive, but is " + copiesPerNode);
    require(movesPerCommit > 0, "movesPerCommit must be positive, but is " + movesPerCommit);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
