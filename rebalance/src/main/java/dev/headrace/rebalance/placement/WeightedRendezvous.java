package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Weighted rendezvous hashing, levelled.
 *
 * <p>Every pair of a segment and a node has a cost, {@code -ln(u) / capacity}, where {@code u} in
 * (0, 1) is a hash of the two; a segment is owned by the nodes of least cost. So when a node comes
 * or goes only the segments move that it gets or had, and in expectation each node's part is in
 * proportion to its capacity (Schindelhauer and Schomaker, "Weighted distributed hash tables", SPAA
 * 2005). What chance leaves uneven is then levelled with the cheapest moves: replicas and primaries
 * of a node end between the whole numbers around its exact share, thus within one of each other
 * where capacities are equal.
 *
 * <p>Zones come first: a segment has as few owners in one zone as the zones allow, even where this
 * gives the nodes of a small zone more than their part.
 */
public final class WeightedRendezvous implements Placement {
  @Override
  public int[][] place(int segments, int owners, List<Member> members) {
    return Placement.onHolders(segments, members, nodes -> level(segments, owners, nodes));
  }

  /** From who owns what, fewer copies lead to shares as level as these. */
  @Override
  public boolean leadsPlans() {
    return false;
  }

  private static int[][] level(int segments, int configuredOwners, List<Member> nodes) {
    FairShares shares = new FairShares(nodes, segments, configuredOwners);
    RendezvousCosts costs = new RendezvousCosts(nodes);
    int[][] rows = new int[segments][];
    int[] held = new int[nodes.size()];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = cheapest(segment, costs, shares);
      IntStream.of(rows[segment]).forEach(node -> held[node]++);
    }
    ShareBalancer.ofReplicas(rows, costs, shares, held).run();
    int[] primaries = new int[nodes.size()];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = costs.cheapestFirst(segment, rows[segment]);
      primaries[rows[segment][0]]++;
    }
    ShareBalancer.ofPrimaries(rows, costs, shares.primaries(held), primaries).run();
    return rows;
  }

  /** The nodes of least cost that may own a segment together, the cheapest first. */
  private static int[] cheapest(int segment, RendezvousCosts costs, FairShares shares) {
    int[] row = new int[shares.owners()];
    int[] inZone = new int[shares.zones()];
    int found = 0;
    for (int node : costs.cheapestFirst(segment, IntStream.range(0, shares.nodes()).toArray())) {
      if (found < row.length && inZone[shares.zone(node)] < shares.ownersPerZone()) {
        inZone[shares.zone(node)]++;
        row[found++] = node;
      }
    }
    return row;
  }
}
