package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A cluster to which something happens.
 *
 * @param nodes members before
 * @param zones zones they are spread over at random
 * @param owners configured owners
 * @param segments number of segments
 * @param joins members that come
 * @param leaves members that leave in order
 * @param crashes members that are gone
 * @param seed draws zones, capacities and, unless the rows are level, the rows
 */
record Scenario(
    int nodes, int zones, int owners, int segments, int joins, int leaves, int crashes, long seed) {

  /** Every second seed gives all nodes one capacity. */
  boolean equalCapacities() {
    return (seed & 1) == 0;
  }

  /** Half of the seeds start from level rows. */
  boolean startsLevel() {
    return (seed & 2) == 0;
  }

  SegmentTable before() {
    List<Member> members = members(1, nodes);
    return startsLevel()
        ? Clusters.placed(members, segments, owners)
        : Clusters.drawn(members, segments, owners, new Random(seed));
  }

  /** The table after the crashes and with those who came. */
  SegmentTable table() {
    SegmentTable survived = crashes == 0 ? before() : Clusters.crashed(before(), ids(1, crashes));
    return joins == 0 ? survived : Clusters.joined(survived, members(nodes + 1, nodes + joins));
  }

  /** Those who leave are none of those who crashed. */
  Set<NodeId> leaving() {
    return ids(crashes + 1, crashes + leaves);
  }

  PlanInput input() {
    return new PlanInput(table(), leaving());
  }

  /** The members that may own segments. */
  List<Member> holders() {
    return table().members().stream()
        .filter(member -> member.holdsSegments() && !leaving().contains(member.id()))
        .toList();
  }

  private List<Member> members(int from, int to) {
    List<Member> members = new ArrayList<>();
    for (int number = from; number <= to; number++) {
      Random random = new Random(seed * 31 + number);
      String zone = "zone-" + random.nextInt(zones);
      double capacity = equalCapacities() ? 1 : random.nextInt(4);
      members.add(Clusters.node(number, zone, capacity));
    }
    return members;
  }

  private static Set<NodeId> ids(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(Clusters::id).collect(Collectors.toSet());
  }
}
