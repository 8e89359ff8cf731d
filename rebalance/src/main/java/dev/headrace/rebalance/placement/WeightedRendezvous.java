package dev.headrace.rebalance.placement;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
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

  private static final Hasher64 HASHER = Hashing.xxh3_64();

  @Override
  public int[][] place(int segments, int owners, List<Member> members) {
    int[] holders =
        IntStream.range(0, members.size()).filter(i -> members.get(i).holdsSegments()).toArray();
    int[][] rows = new int[segments][0];
    if (holders.length == 0) {
      return rows;
    }
    Nodes nodes = new Nodes(members, holders, owners);
    double[][] costs = costs(segments, nodes);
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = nodes.cheapest(costs[segment]);
    }
    levelOwners(rows, nodes, costs);
    levelPrimaries(rows, nodes, costs);
    for (int[] row : rows) {
      for (int index = 0; index < row.length; index++) {
        row[index] = holders[row[index]];
      }
    }
    return rows;
  }

  private static double[][] costs(int segments, Nodes nodes) {
    double[][] costs = new double[segments][nodes.count()];
    for (int segment = 0; segment < segments; segment++) {
      for (int node = 0; node < nodes.count(); node++) {
        NodeId id = nodes.ids[node];
        long hash = HASHER.hashLongLongLongToLong(segment, id.high(), id.low());
        double u = ((hash >>> 11) + 0.5) * 0x1.0p-53;
        // StrictMath, so that every machine finds the same.
        costs[segment][node] = -StrictMath.log(u) / nodes.weights[node];
      }
    }
    return costs;
  }

  private static void levelOwners(int[][] rows, Nodes nodes, double[][] costs) {
    int[] counts = new int[nodes.count()];
    for (int[] row : rows) {
      for (int node : row) {
        counts[node]++;
      }
    }
    double[] shares = Shares.ofOwners(nodes, rows.length);
    new Levelling(new OwnerBoard(rows, nodes, costs), shares, counts).run();
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] = Rows.sorted(rows[segment], costs[segment]);
    }
  }

  private static void levelPrimaries(int[][] rows, Nodes nodes, double[][] costs) {
    int[] held = new int[nodes.count()];
    int[] primaries = new int[nodes.count()];
    for (int[] row : rows) {
      primaries[row[0]]++;
      for (int node : row) {
        held[node]++;
      }
    }
    double[] shares = Shares.ofPrimaries(nodes, rows.length, held);
    new Levelling(new PrimaryBoard(rows, costs), shares, primaries).run();
  }
}
