package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.FairShares;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The least number of copies, found the slow way: a textbook flow of least cost over every segment,
 * every zone of a segment and every node, with none of the planner's thoughts.
 */
final class LeastCopies {

  private static final int SOURCE = 0;
  private static final int SINK = 1;
  private static final int ROUNDED_UP = 2;

  /** Edges in pairs: an edge and its reverse. */
  private final List<int[]> edges = new ArrayList<>();

  private final List<List<Integer>> leavingEdges = new ArrayList<>();

  private LeastCopies() {}

  static int of(PlanInput input) {
    SegmentTable table = input.table();
    List<Member> holders =
        table.members().stream()
            .filter(member -> member.holdsSegments() && !input.leaving().contains(member.id()))
            .toList();
    FairShares shares = new FairShares(holders, table.segments(), table.configuredOwners());
    LeastCopies flow = new LeastCopies();
    int[] nodes = flow.nodes(shares, table.segments() * shares.owners());
    for (int segment = 0; segment < table.segments(); segment++) {
      flow.segment(table.owners(segment), holders, shares, nodes);
    }
    return flow.cost(table.segments() * shares.owners());
  }

  private int[] nodes(FairShares shares, int total) {
    vertex();
    vertex();
    vertex();
    double[] exact = shares.replicas();
    int[] nodes = new int[exact.length];
    int roundedUp = total;
    for (int node = 0; node < nodes.length; node++) {
      int least = FairShares.least(exact[node]);
      nodes[node] = vertex();
      edge(nodes[node], SINK, least, 0);
      edge(nodes[node], ROUNDED_UP, FairShares.most(exact[node]) - least, 0);
      roundedUp -= least;
    }
    edge(ROUNDED_UP, SINK, roundedUp, 0);
    return nodes;
  }

  private void segment(List<NodeId> owners, List<Member> holders, FairShares shares, int[] nodes) {
    int segment = vertex();
    edge(SOURCE, segment, shares.owners(), 0);
    int[] zones = new int[shares.zones()];
    for (int zone = 0; zone < zones.length; zone++) {
      zones[zone] = vertex();
      edge(segment, zones[zone], shares.ownersPerZone(), 0);
    }
    for (int node = 0; node < nodes.length; node++) {
      boolean free = owners.isEmpty() || owners.contains(holders.get(node).id());
      edge(zones[shares.zone(node)], nodes[node], 1, free ? 0 : 1);
    }
  }

  private int vertex() {
    leavingEdges.add(new ArrayList<>());
    return leavingEdges.size() - 1;
  }

  private void edge(int from, int to, int capacity, int cost) {
    leavingEdges.get(from).add(edges.size());
    edges.add(new int[] {to, capacity, cost});
    leavingEdges.get(to).add(edges.size());
    edges.add(new int[] {from, 0, -cost});
  }

  private int cost(int amount) {
    int cost = 0;
    for (int unit = 0; unit < amount; unit++) {
      cost += cheapestPath();
    }
    return cost;
  }

  /** Sends one unit; returns what it cost. */
  private int cheapestPath() {
    int[] distances = new int[leavingEdges.size()];
    int[] reachedBy = new int[distances.length];
    Arrays.fill(distances, Integer.MAX_VALUE);
    distances[SOURCE] = 0;
    Deque<Integer> open = new ArrayDeque<>(List.of(SOURCE));
    while (!open.isEmpty()) {
      int from = open.remove();
      for (int edge : leavingEdges.get(from)) {
        int to = edges.get(edge)[0];
        int distance = distances[from] + edges.get(edge)[2];
        if (edges.get(edge)[1] > 0 && distance < distances[to]) {
          distances[to] = distance;
          reachedBy[to] = edge;
          open.add(to);
        }
      }
    }
    if (distances[SINK] == Integer.MAX_VALUE) {
      throw new AssertionError("The fair shares cannot be reached");
    }
    for (int at = SINK; at != SOURCE; at = edges.get(reachedBy[at] ^ 1)[0]) {
      edges.get(reachedBy[at])[1]--;
      edges.get(reachedBy[at] ^ 1)[1]++;
    }
    return distances[SINK];
  }
}
