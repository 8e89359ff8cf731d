package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Set;

/**
 * What a plan starts from.
 *
 * @param table who owns what; its members are those who shall own segments, as far as they have a
 *     capacity and do not leave
 * @param leaving nodes that shall own nothing; those that are no members do not matter
 */
public record PlanInput(SegmentTable table, Set<NodeId> leaving) {

  /** Copies the set. */
  public PlanInput {
    leaving = Set.copyOf(leaving);
  }
}
