package dev.headrace.testkit;

import dev.headrace.cluster.node.NodeView;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is still to be done until a cluster is settled: its nodes agree on a segment table of
 * exactly themselves, serve, and have all copies in sync; and the planner would move nothing.
 */
final class Settling {
  private Settling() {}

  /**
   * Looks at nodes that run and reach each other.
   *
   * @return one sentence for each thing that is to be done; empty if they are settled
   */
  static List<String> left(List<FaultyNode> nodes) {
    Map<String, NodeView> views = new TreeMap<>();
    nodes.forEach(node -> node.view().ifPresent(view -> views.put(node.name(), view)));
    Set<NodeId> all =
        views.values().stream().map(NodeView::self).collect(Collectors.toUnmodifiableSet());
    List<String> left = new ArrayList<>();
    views.forEach((name, view) -> addTo(left, name, view, all));
    if (views.values().stream().map(view -> view.table().epoch()).distinct().count() > 1) {
      left.add("the nodes know segment tables of different epochs");
    }
    if (left.isEmpty() && !views.isEmpty()) {
      nodes.forEach(node -> addOutOfSync(left, node));
      addMoves(left, nodes.get(0), views.values().iterator().next().table());
    }
    return left;
  }

  private static void addTo(List<String> left, String name, NodeView view, Set<NodeId> all) {
    SegmentTable table = view.table();
    Set<NodeId> members =
        table.members().stream().map(Member::id).collect(Collectors.toUnmodifiableSet());
    if (!members.equals(all)) {
      left.add(
          "%s knows %d nodes, but %d run and can be reached"
              .formatted(name, members.size(), all.size()));
    } else if (!view.serves()) {
      left.add(name + " does not serve");
    }
    long incomplete = 0;
    for (int segment = 0; segment < table.segments(); segment++) {
      if (table.ownerCount(segment) < table.effectiveOwners()) {
        incomplete++;
      }
    }
    if (incomplete > 0) {
      left.add("%s knows %d segments without all their copies".formatted(name, incomplete));
    }
  }

  /** An owner that does not know that it has everything could not go on alone. */
  private static void addOutOfSync(List<String> left, FaultyNode node) {
    int segments = node.outOfSyncReplicas();
    if (segments > 0) {
      left.add("%s is not in sync for %d of its segments".formatted(node.name(), segments));
    }
  }

  private static void addMoves(List<String> left, FaultyNode node, SegmentTable table) {
    var placement = Placements.of(node.node().settings().placement());
    int moves = Planner.plan(new PlanInput(table, Set.of(), placement)).moves().size();
    if (moves > 0) {
      left.add(moves + " segments are to move");
    }
  }
}
