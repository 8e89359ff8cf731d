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
    return Placement.onHolders(
        segments, members, holders -> level(segments, new Nodes(holders, owners)));
  }

  /** From who owns what, fewer copies lead to shares as level as these. */
  @Override
  public boolean leadsPlans() {
    return false;
  }

  private static int[][] level(int segments, Nodes nodes) {
    int[][] rows = new int[segments][];
    int[] held = new int[nodes.count()];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = nodes.cheapest(segment);
      IntStream.of(rows[segment]).forEach(node -> held[node]++);
    }
    FairShares shares = new FairShares(nodes, segments);
    Levelling.ofReplicas(rows, nodes, shares.replicas(), held).run();
    int[] primaries = new int[nodes.count()];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = nodes.cheapestFirst(segment, rows[segment]);
      primaries[rows[segment][0]]++;
    }
    Levelling.ofPrimaries(rows, nodes, shares.primaries(held), primaries).run();
    return rows;
  }
}
