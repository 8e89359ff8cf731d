package dev.headrace.cluster.node;

import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.replication.log.LaneSettings;
import java.util.function.UnaryOperator;

/**
 * How a node rebalances, where users have no say; for measurements and tests. All nodes of a
 * cluster should have the same.
 *
 * @param rebalancer how segments are moved
 * @param fullTables whether members get a whole table with every change instead of the change
 * @param probe hears what the node decides
 * @param lanes other bounds than the usual ones for lanes
 */
public record NodeTuning(
    RebalancerSettings rebalancer,
    boolean fullTables,
    NodeProbe probe,
    UnaryOperator<LaneSettings> lanes) {

  /** What nodes have unless told otherwise. */
  public static NodeTuning defaults() {
    return new NodeTuning(
        RebalancerSettings.defaults(), false, NodeProbe.NONE, UnaryOperator.identity());
  }

  /** The same with another time to wait for further joins after one. */
  public NodeTuning withHoldNanos(long nanos) {
    RebalancerSettings held = rebalancer.withHoldNanos(nanos);
    return new NodeTuning(held, fullTables, probe, lanes);
  }

  /** The same with one move per epoch, and a whole table to every member for each. */
  public NodeTuning withFullTables() {
    RebalancerSettings single = rebalancer.withMovesPerCommit(1);
    return new NodeTuning(single, true, probe, lanes);
  }

  /** The same with what says where segments shall be. */
  public NodeTuning withPlacement(Placement placement) {
    return new NodeTuning(rebalancer.withPlacement(placement), fullTables, probe, lanes);
  }

  /** The same with a probe. */
  public NodeTuning withProbe(NodeProbe other) {
    return new NodeTuning(rebalancer, fullTables, other, lanes);
  }

  /** The same with other bounds for lanes. */
  public NodeTuning withLanes(UnaryOperator<LaneSettings> bounds) {
    return new NodeTuning(rebalancer, fullTables, probe, bounds);
  }
}
