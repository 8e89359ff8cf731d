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
    int[] holders =
        IntStream.range(0, members.size()).filter(i -> members.get(i).holdsSegments()).toArray();
    int[][] rows = new int[segments][0];
    if (holders.length == 0) {
      return rows;
    }
    Nodes nodes = new Nodes(members, holders, owners);
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = nodes.cheapest(segment);
    }
    levelOwners(rows, nodes);
    levelPrimaries(rows, nodes);
    for (int[] row : rows) {
      for (int index = 0; index < row.length; index++) {
        row[index] = holders[row[index]];
      }
    }
    return rows;
  }

  /** From who owns what, fewer copies lead to shares as level as these. */
  @Override
  public boolean leadsPlans() {
    return false;
  }

  private static void levelOwners(int[][] rows, Nodes nodes) {
    int[] counts = new int[nodes.count()];
    for (int[] row : rows) {
      for (int node : row) {
        counts[node]++;
      }
    }
    double[] shares = Shares.ofOwners(nodes, rows.length);
    new Levelling(new OwnerBoard(rows, nodes), shares, counts).run();
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] = nodes.cheapestFirst(segment, rows[segment]);
    }
  }

  private static void levelPrimaries(int[][] rows, Nodes nodes) {
    int[] held = new int[nodes.count()];
    int[] primaries = new int[nodes.count()];
    for (int[] row : rows) {
      primaries[row[0]]++;
      for (int node : row) {
        held[node]++;
      }
    }
    double[] shares = Shares.ofPrimaries(nodes, rows.length, held);
    new Levelling(new PrimaryBoard(rows, nodes), shares, primaries).run();
  }
}
