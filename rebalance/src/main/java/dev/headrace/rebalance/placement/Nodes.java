package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The nodes that can own segments, by number, and how many owners one segment gets of them. */
final class Nodes {

  final NodeId[] ids;
  final double[] weights;

  /** For each node the number of its zone. */
  final int[] zones;

  final int zoneCount;
  final int owners;

  /** The most owners of one segment in one zone: as few as the zones allow. */
  final int ownersPerZone;

  Nodes(List<Member> members, int[] holders, int configuredOwners) {
    ids = new NodeId[holders.length];
    weights = new double[holders.length];
    zones = new int[holders.length];
    Map<String, Integer> zoneNumbers = new HashMap<>();
    for (int node = 0; node < holders.length; node++) {
      Member member = members.get(holders[node]);
      ids[node] = member.id();
      weights[node] = member.capacity();
      zones[node] = zoneNumbers.computeIfAbsent(member.zone(), zone -> zoneNumbers.size());
    }
    zoneCount = zoneNumbers.size();
    owners = Math.min(configuredOwners, holders.length);
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

  /** The nodes of least cost that may own one segment together, the cheapest first. */
  int[] cheapest(double[] cost) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, ids.length).boxed().toList());
    order.sort(Comparator.comparingDouble(node -> cost[node]));
    int[] row = new int[owners];
    int[] inZone = new int[zoneCount];
    int chosen = 0;
    for (int at = 0; chosen < owners; at++) {
      int node = order.get(at);
      if (inZone[zones[node]] < ownersPerZone) {
        inZone[zones[node]]++;
        row[chosen++] = node;
      }
    }
    return row;
  }

  private static int room(int[] zoneSizes, int perZone) {
    return IntStream.of(zoneSizes).map(size -> Math.min(size, perZone)).sum();
  }
}
