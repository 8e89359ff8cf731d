package dev.headrace.rebalance.placement;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** What it costs that a node owns a segment: less the better, drawn by a hash of both. */
record RendezvousCosts(List<Member> nodes) {
  private static final Hasher64 HASHER = Hashing.xxh3_64();

  double of(int segment, int node) {
    NodeId id = nodes.get(node).id();
    long hash = HASHER.hashLongLongLongToLong(segment, id.high(), id.low());
    double u = ((hash >>> 11) + 0.5) * 0x1.0p-53;
    // StrictMath, so that every machine finds the same.
    return -StrictMath.log(u) / nodes.get(node).capacity();
  }

  /** The same nodes in the order of their cost. */
  int[] cheapestFirst(int segment, int[] some) {
    double[] costs = new double[nodes.size()];
    for (int node : some) {
      costs[node] = of(segment, node);
    }
    return IntStream.of(some)
        .boxed()
        .sorted(Comparator.comparingDouble(node -> costs[node]))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
