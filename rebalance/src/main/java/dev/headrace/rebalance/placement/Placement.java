package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

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
   * Places segments on those members that have a capacity.
   *
   * @param rows makes the rows, as places among these members; not asked if there are none
   * @return the same rows, as places in {@code members}
   */
  static int[][] onHolders(
      int segments, List<Member> members, Function<List<Member>, int[][]> rows) {
    int[] holders =
        IntStream.range(0, members.size()).filter(i -> members.get(i).holdsSegments()).toArray();
    if (holders.length == 0) {
      return new int[segments][0];
    }
    return Arrays.stream(rows.apply(IntStream.of(holders).mapToObj(members::get).toList()))
        .map(row -> IntStream.of(row).map(node -> holders[node]).toArray())
        .toArray(int[][]::new);
  }

  /**
   * Whether a cluster that holds data is led to the rows that this places for its present nodes. A
   * placement that levels does without: for level shares it is enough to move less.
   */
  default boolean leadsPlans() {
    return true;
  }
}
