package dev.headrace.rebalance.placement;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The nodes that can own segments, by number, and how many owners one segment gets of them. */
final class Nodes {

  private static final Hasher64 HASHER = Hashing.xxh3_64();

  final NodeId[] ids;
  final double[] weights;
  final int[] zones; // for each node the number of its zone
  final int zoneCount;
  final int owners;

  final int ownersPerZone;

  Nodes(List<Member> holders, int configuredOwners) {
    ids = new NodeId[holders.size()];
    weights = new double[ids.length];
    zones = new int[ids.length];
    Map<String, Integer> zoneNumbers = new HashMap<>();
    for (int node = 0; node < ids.length; node++) {
      Member member = holders.get(node);
      ids[node] = member.id();
      weights[node] = member.capacity();
      zones[node] = zoneNumbers.computeIfAbsent(member.zone(), zone -> zoneNumbers.size());
    }
    zoneCount = zoneNumbers.size();
    owners = Math.min(configuredOwners, ids.length);
    int[] zoneSizes = new int[zoneCount];
    IntStream.of(zones).forEach(zone -> zoneSizes[zone]++);
    int perZone = 1;
    while (room(zoneSizes, perZone) < owners) {
      perZone++;
    }
    ownersPerZone = perZone;
  }

  int count() {
    return ids.length;
  }

  /** What it costs that the node owns the segment: less the better, drawn by a hash of both. */
  double cost(int segment, int node) {
    long hash = HASHER.hashLongLongLongToLong(segment, ids[node].high(), ids[node].low());
    double u = ((hash >>> 11) + 0.5) * 0x1.0p-53;
    // StrictMath, so that every machine finds the same.
    return -StrictMath.log(u) / weights[node];
  }

  /** The nodes of least cost that may own a segment together, the cheapest first. */
  int[] cheapest(int segment) {
    int[] order = cheapestFirst(segment, IntStream.range(0, ids.length).toArray());
    int[] row = new int[owners];
    int[] inZone = new int[zoneCount];
    int chosen = 0;
    for (int at = 0; chosen < owners; at++) {
      int node = order[at];
      if (inZone[zones[node]] < ownersPerZone) {
        inZone[zones[node]]++;
        row[chosen++] = node;
      }
    }
    return row;
  }

  /** The same nodes in the order of their cost. */
  int[] cheapestFirst(int segment, int[] nodes) {
    double[] costs = new double[ids.length];
    for (int node : nodes) {
      costs[node] = cost(segment, node);
    }
    return IntStream.of(nodes)
        .boxed()
        .sorted(Comparator.comparingDouble(node -> costs[node]))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static int room(int[] zoneSizes, int perZone) {
    return IntStream.of(zoneSizes).map(size -> Math.min(size, perZone)).sum();
  }
}
