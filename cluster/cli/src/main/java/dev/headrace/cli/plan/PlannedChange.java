package dev.headrace.cli.plan;

import dev.headrace.api.NodeSettings;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.plan.Plan;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happens to a cluster.
 *
 * @param members its members before
 * @param joining nodes that come
 * @param leaving names of nodes that leave in order
 * @param crashing names of nodes that are gone at once
 * @param placement what gives segments to nodes
 */
record PlannedChange(
    List<NodeArgument> members,
    List<NodeArgument> joining,
    List<String> leaving,
    List<String> crashing,
    Placement placement) {

  /**
   * Checks that every name means one node.
   *
   * @throws IllegalArgumentException if one does not; says which
   */
  PlannedChange {
    Set<String> names = new HashSet<>();
    for (NodeArgument node : members) {
      check(names.add(node.name()), node.name() + " is given twice in --members");
    }
    for (NodeArgument node : joining) {
      check(names.add(node.name()), node.name() + " cannot join: it is a member or joins already");
    }
    Set<String> going = new HashSet<>();
    for (String name : Stream.concat(leaving.stream(), crashing.stream()).toList()) {
      check(
          members.stream().anyMatch(node -> node.name().equals(name)),
          name + " cannot leave or crash: it is not in --members");
      check(going.add(name), name + " can leave or crash only once");
    }
    check(
        joining.size() + leaving.size() + crashing.size() > 0,
        "nothing changes: give --join, --leave or --crash");
    check(members.stream().anyMatch(PlannedChange::holds), "no member has a capacity");
    check(
        Stream.concat(members.stream(), joining.stream())
            .anyMatch(node -> holds(node) && !going.contains(node.name())),
        "no node with a capacity would be left");
  }

  /** The cluster before, placed as one without data is. */
  SegmentTable before(int segments, int owners) {
    List<Member> all = members.stream().map(NodeArgument::member).toList();
    return SegmentTable.of(header(segments, owners), all, placement.place(segments, owners, all));
  }

  private static TableHeader header(int segments, int owners) {
    return new TableHeader(1, 0, 0, 0, segments, owners, NodeSettings.MAX_ENTRY_BYTES);
  }

  /** The plan for all that happens, at once. */
  Plan plan(SegmentTable before) {
    SegmentTable survived =
        crashing.isEmpty() ? before : before.withoutMembers(before.epoch() + 1, ids(crashing));
    List<Member> joined = joining.stream().map(NodeArgument::member).toList();
    SegmentTable table =
        joined.isEmpty() ? survived : survived.withMembers(survived.epoch() + 1, joined);
    return Planner.plan(new PlanInput(table, ids(leaving), placement));
  }

  /** In one word what happens to a node, empty if nothing does. */
  String fate(String name) {
    if (crashing.contains(name)) {
      return "crashes";
    }
    if (leaving.contains(name)) {
      return "leaves";
    }
    return joining.stream().anyMatch(node -> node.name().equals(name)) ? "joins" : "";
  }

  /** All nodes there were or will be. */
  List<NodeArgument> nodes() {
    return Stream.concat(members.stream(), joining.stream()).toList();
  }

  private static Set<NodeId> ids(List<String> names) {
    return names.stream().map(NodeArgument::id).collect(Collectors.toUnmodifiableSet());
  }

  private static boolean holds(NodeArgument node) {
    return node.capacity() > 0;
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
