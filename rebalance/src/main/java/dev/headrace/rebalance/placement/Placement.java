package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.List;

/** Decides which nodes own which segment, from nothing but the members. */
public interface Placement {

  /**
   * Places all segments.
   *
   * @param segments number of segments
   * @param owners replicas each segment should have; fewer are placed if fewer members have a
   *     capacity
   * @param members all members; those without capacity own nothing
   * @return for each segment its owners, the primary first, as places in {@code members}; rows are
   *     empty if no member has a capacity
   */
  int[][] place(int segments, int owners, List<Member> members);

  /**
   * Whether a cluster that holds data is led to the rows that this places for its present nodes. A
   * placement that levels does without: for level shares it is enough to move less.
   */
  default boolean leadsPlans() {
    return true;
  }
}
