package dev.headrace.cluster.node;

import dev.headrace.cluster.agreement.NodeProbe;
import dev.headrace.cluster.wire.WireSettings;
import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.replication.log.LaneSettings;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a node that users do not have, for measurements and tests. They should be the same on
 * all nodes of a cluster.
 *
 * @param rebalancer how segments are moved
 * @param fullTables whether members get a whole table with every change instead of the change
 * @param probe observes what the node decides
 * @param lanes changes the bounds of lanes
 * @param handOver what runs the handling of messages and reads
 * @param faults cuts the node off and stops its threads when it is told to; null for a node to
 *     which nobody does that
 */
public record NodeTuning(
    RebalancerSettings rebalancer,
    boolean fullTables,
    NodeProbe probe,
    UnaryOperator<LaneSettings> lanes,
    WireSettings.HandOver handOver,
    @Nullable NodeFaults faults) {

  /** The tuning of usual nodes. */
  public static NodeTuning defaults() {
    return new NodeTuning(
        RebalancerSettings.defaults(),
        false,
        NodeProbe.NONE,
        UnaryOperator.identity(),
        WireSettings.HandOver.NONE,
        null);
  }

  /** The same tuning with another time to wait for further joins after one. */
  public NodeTuning withHoldNanos(long nanos) {
    RebalancerSettings held = rebalancer.withHoldNanos(nanos);
    return new NodeTuning(held, fullTables, probe, lanes, handOver, faults);
  }

  /** The same tuning with one move per epoch, and a whole table for every member with each. */
  public NodeTuning withFullTables() {
    RebalancerSettings single = rebalancer.withMovesPerCommit(1);
    return new NodeTuning(single, true, probe, lanes, handOver, faults);
  }

  /** The same tuning with a probe. */
  public NodeTuning withProbe(NodeProbe other) {
    return new NodeTuning(rebalancer, fullTables, other, lanes, handOver, faults);
  }

  /** The same tuning with other bounds of lanes. */
  public NodeTuning withLanes(UnaryOperator<LaneSettings> bounds) {
    return new NodeTuning(rebalancer, fullTables, probe, bounds, handOver, faults);
  }

  /** The same tuning with other threads for messages of operations and for reads. */
  public NodeTuning withHandOver(WireSettings.HandOver other) {
    return new NodeTuning(rebalancer, fullTables, probe, lanes, other, faults);
  }

  /** The same tuning with faults at somebody's command. */
  public NodeTuning withFaults(NodeFaults commanded) {
    return new NodeTuning(rebalancer, fullTables, probe, lanes, handOver, commanded);
  }
}
