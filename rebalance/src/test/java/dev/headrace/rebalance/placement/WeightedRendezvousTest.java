package dev.headrace.rebalance.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class WeightedRendezvousTest {

  private final Placement placement = new WeightedRendezvous();

  @Test
  void levelsReplicasAndPrimariesToWithinOneWhereCapacitiesAreEqual() {
    for (int count = 1; count <= 12; count++) {
      for (int owners = 1; owners <= 4; owners++) {
        int[][] rows = placement.place(256, owners, equal(count, count * 31 + owners));
        assertEachRowHas(Math.min(owners, count), rows);
        assertThat(spread(replicas(rows, count))).isLessThanOrEqualTo(1);
        assertThat(spread(primaries(rows, count))).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void placesInProportionToCapacities() {
    List<Member> members = List.of(node(1, "", 1), node(2, "", 2), node(3, "", 3), node(4, "", 6));
    int[][] rows = placement.place(1200, 2, members);

    assertThat(replicas(rows, 4)).containsExactly(200, 400, 600, 1200);
    assertThat(primaries(rows, 4)).containsExactly(100, 200, 300, 600);
  }

  @Test
  void staysBetweenTheWholeNumbersAroundTheShareForAnyCapacities() {
    Random random = new Random(5);
    for (int round = 0; round < 60; round++) {
      int count = 5 + random.nextInt(8);
      List<Member> members = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        members.add(node(random.nextLong(), "", 1 + random.nextDouble()));
      }
      double total = members.stream().mapToDouble(Member::capacity).sum();
      int[][] rows = placement.place(256, 2, members);
      int[] replicas = replicas(rows, count);
      for (int i = 0; i < count; i++) {
        double share = Math.min(256, 512 * members.get(i).capacity() / total);
        assertThat((double) replicas[i]).isBetween(Math.floor(share), Math.ceil(share));
      }
    }
  }

  @Test
  void givesNothingToNodesWithoutCapacity() {
    List<Member> members = List.of(node(1, "", 0), node(2, "", 1), node(3, "", 0), node(4, "", 1));
    int[][] rows = placement.place(64, 3, members);

    assertThat(replicas(rows, 4)).containsExactly(0, 64, 0, 64);
    assertThat(placement.place(4, 2, List.of(node(1, "", 0)))).isEqualTo(new int[4][0]);
  }

  @Test
  void spreadsTheOwnersOfASegmentOverZones() {
    Random random = new Random(9);
    for (int round = 0; round < 60; round++) {
      int zones = 2 + random.nextInt(3);
      int count = zones * (1 + random.nextInt(4));
      List<Member> members = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        members.add(node(random.nextLong(), "zone-" + i % zones, 1));
      }
      int[][] rows = placement.place(256, 2, members);
      for (int[] row : rows) {
        assertThat(members.get(row[0]).zone()).isNotEqualTo(members.get(row[1]).zone());
      }
      assertThat(spread(replicas(rows, count))).isLessThanOrEqualTo(1);
      assertThat(spread(primaries(rows, count))).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void keepsZonesApartEvenWhereOneIsSmall() {
    List<Member> members =
        List.of(node(1, "small", 1), node(2, "big", 1), node(3, "big", 1), node(4, "big", 1));
    int[][] rows = placement.place(300, 2, members);

    assertThat(replicas(rows, 4)).containsExactly(300, 100, 100, 100);
  }

  @Test
  void putsAsFewOwnersIntoOneZoneAsThereCanBe() {
    List<Member> members =
        List.of(node(1, "x", 1), node(2, "y", 1), node(3, "y", 1), node(4, "y", 1));
    for (int[] row : placement.place(100, 3, members)) {
      assertThat(IntStream.of(row).filter(node -> node > 0).count()).isEqualTo(2);
    }
  }

  @Test
  void findsTheSameAgainForTheSameMembers() {
    assertThat(placement.place(256, 2, equal(7, 3)))
        .isEqualTo(placement.place(256, 2, equal(7, 3)));
    assertThat(placement.place(256, 2, equal(7, 3)))
        .isNotEqualTo(placement.place(256, 2, equal(7, 4)));
  }

  @Test
  void movesLittleMoreThanTheNewNodesPartWhenANodeIsAdded() {
    for (int seed = 0; seed < 20; seed++) {
      List<Member> after = equal(6, seed);
      List<Member> before = after.subList(0, 5);
      int moved =
          moved(placement.place(256, 2, before), before, placement.place(256, 2, after), after);
      assertThat(moved).isBetween(85, 85 * 3 / 2);
    }
  }

  @Test
  void movesLittleMoreThanTheLostNodesPartWhenANodeIsLost() {
    for (int seed = 0; seed < 20; seed++) {
      List<Member> before = equal(6, seed);
      List<Member> after = before.subList(1, 6);
      int moved =
          moved(placement.place(256, 2, before), before, placement.place(256, 2, after), after);
      assertThat(moved).isBetween(85, 85 * 3 / 2);
    }
  }

  /** Replicas of the second placement that the first did not have. */
  private static int moved(int[][] first, List<Member> before, int[][] second, List<Member> after) {
    Set<String> old = replicaSet(first, before);
    Set<String> added = replicaSet(second, after);
    added.removeAll(old);
    return added.size();
  }

  private static Set<String> replicaSet(int[][] rows, List<Member> members) {
    Set<String> replicas = new HashSet<>();
    for (int segment = 0; segment < rows.length; segment++) {
      for (int node : rows[segment]) {
        replicas.add(segment + "@" + members.get(node).id());
      }
    }
    return replicas;
  }

  private static void assertEachRowHas(int owners, int[][] rows) {
    for (int[] row : rows) {
      assertThat(Arrays.stream(row).distinct().count()).isEqualTo(owners);
    }
  }

  private static int[] replicas(int[][] rows, int nodes) {
    int[] counts = new int[nodes];
    Arrays.stream(rows).flatMapToInt(Arrays::stream).forEach(node -> counts[node]++);
    return counts;
  }

  private static int[] primaries(int[][] rows, int nodes) {
    int[] counts = new int[nodes];
    Arrays.stream(rows).forEach(row -> counts[row[0]]++);
    return counts;
  }

  private static int spread(int[] counts) {
    return IntStream.of(counts).max().orElse(0) - IntStream.of(counts).min().orElse(0);
  }

  private static List<Member> equal(int count, long seed) {
    Random random = new Random(seed);
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      members.add(node(random.nextLong(), "", 1));
    }
    return members;
  }

  private static Member node(long id, String zone, double capacity) {
    return new Member(new NodeId(id, ~id), "node-" + id, "localhost", 1, zone, capacity);
  }
}
