package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Set;

/**
 * What a plan starts from, and what it is to lead to.
 *
 * @param table who owns what; its members are those who shall own segments, as far as they have a
 *     capacity and do not leave
 * @param leaving nodes that shall own nothing; those that are no members do not matter
 * @param placement says where segments shall be, if it leads plans; else shares become level with
 *     as few copies as possible
 */
public record PlanInput(SegmentTable table, Set<NodeId> leaving, Placement placement) {
  public PlanInput {
    leaving = Set.copyOf(leaving);
  }

  /** What a plan for level shares starts from. */
  public PlanInput(SegmentTable table, Set<NodeId> leaving) {
    this(table, leaving, new WeightedRendezvous());
  }
}
