package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.cluster.agreement.Rebalancing;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters whose segments are placed otherwise than by default. */
@Timeout(240)
class PlacementTest {
  private static final int SEGMENTS = 256;
  private static final int ENTRIES = 5_000;

  /** Each segment belongs to the nodes after the one whose place its number has: moves much. */
  private static final PlacementRule TURNS =
      (segments, owners, nodes) ->
          IntStream.range(0, segments)
              .mapToObj(
                  segment ->
                      IntStream.range(0, owners)
                          .map(index -> (segment + index) % nodes.size())
                          .toArray())
              .toArray(int[][]::new);

  @Test
  void aRingMovesWhatItGivesToOthersAndNothingElse() {
    followsItsPlacement(SegmentPlacement.named("ketama-md5"));
  }

  @Test
  void aRuleOfAUsersOwnMovesWhatItGivesToOthersAndNothingElse() {
    followsItsPlacement(SegmentPlacement.custom("turns", TURNS));
  }

  private static void followsItsPlacement(SegmentPlacement placement) {
    List<String> names = List.of("10.0.0.1:11211", "10.0.0.2:11211", "10.0.0.3:11211", "late");
    int[][] three = rows(placement, names.subList(0, 3));
    int[][] four = rows(placement, names);
    try (NodeCluster cluster = new NodeCluster()) {
      for (String name : names.subList(0, 3)) {
        cluster.start(settings -> settings.nodeName(name).placement(placement));
      }
      HeadraceNode first = cluster.node(0);
      await(() -> loads(first).equals(loads(three, names)));
      assertThat(first.status().placement()).isEqualTo(placement.name());
      cache(first).putAll(entries());

      HeadraceNode late = cluster.start(settings -> settings.nodeName("late").placement(placement));
      assertThat(missing(three, four)).isPositive();
      await(() -> loads(first).equals(loads(four, names)));
      await(() -> copies(first) == missing(three, four) && isAtRest(first));
      assertHoldsEverything(late);

      late.close();
      await(() -> loads(first).equals(loads(three, names)));
      await(() -> copies(first) == missing(four, three) && isAtRest(first));
      assertHoldsEverything(cluster.node(1));

      cluster.node(2).kill();
      List<String> left = names.subList(0, 2);
      await(() -> loads(first).equals(loads(rows(placement, left), left)));
      assertHoldsEverything(cluster.node(1));
    }
  }

  @Test
  void dataNodesAgreeOnTheirPlacementAndOthersTakeIt() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.placement("maglev:1.25"));
      assertThatThrownBy(() -> cluster.start(settings -> settings))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("the placement levelled-rendezvous")
          .hasMessageContaining("start it with maglev:1.25");
      HeadraceNode client = cluster.start(settings -> settings.capacity(0).placement("jump"));
      assertThat(client.status().placement()).isEqualTo("maglev:1.25");
      assertThat(client.status().members()).hasSize(2);
    }
  }

  @Test
  void aNodeWhoseRuleFailsDoesNotStart() {
    try (NodeCluster cluster = new NodeCluster()) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings -> settings.placement("empty", (s, o, n) -> new int[s][0])))
          .isInstanceOf(PlacementException.class)
          .hasMessage(
              "The placement rule \"empty\" gives segment 0 the owners []; give it exactly 1");
    }
  }

  @Test
  void aRuleThatFailsLaterLeavesTheDataWhereItIsAndIsTold() {
    PlacementRule forTwo =
        (segments, owners, nodes) -> {
          if (nodes.size() > 2) {
            throw new IllegalStateException("only two nodes were foreseen");
          }
          return TURNS.place(segments, owners, nodes);
        };
    try (RecordedLog log = RecordedLog.of(Rebalancing.class);
        NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.placement("for-two", forTwo));
      cluster.start(settings -> settings.placement("for-two", forTwo));
      cache(cluster.node(0)).putAll(entries());
      Map<String, List<Integer>> before = loads(cluster.node(0));

      HeadraceNode third = cluster.start(settings -> settings.placement("for-two", forTwo));
      await(() -> !log.warnings().isEmpty());
      assertThat(log.warnings().get(0))
          .startsWith("Segments stay where they are")
          .contains("\"for-two\" fails", "only two nodes were foreseen");
      assertThat(loads(cluster.node(0))).containsAllEntriesOf(before);
      assertHoldsEverything(third);

      third.close();
      await(() -> loads(cluster.node(0)).equals(before));
      assertHoldsEverything(cluster.node(1));
    }
  }

  private static Cache<String, String> cache(HeadraceNode node) {
    return node.cache("quotes", String.class, String.class);
  }

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    IntStream.range(0, ENTRIES).forEach(i -> entries.put("key-" + i, "value-" + i));
    return entries;
  }

  private static void assertHoldsEverything(HeadraceNode node) {
    Map<String, String> seen = new HashMap<>();
    cache(node).iterator().forEachRemaining(e -> seen.put(e.getKey(), e.getValue()));
    assertThat(seen).isEqualTo(entries());
  }

  /** What a placement gives to nodes of these names, in the order in which they joined. */
  private static int[][] rows(SegmentPlacement placement, List<String> names) {
    List<Member> members = new ArrayList<>();
    for (String name : names) {
      members.add(new Member(new NodeId(1, members.size()), name, "127.0.0.1", 1, "", 1));
    }
    int owners = NodeSettings.defaults().owners();
    return Placements.of(placement).place(SEGMENTS, owners, members);
  }

  /** By name: how many segments a node is primary and backup of. */
  private static Map<String, List<Integer>> loads(int[][] rows, List<String> names) {
    Map<String, List<Integer>> loads = new HashMap<>();
    int places = Arrays.stream(rows).flatMapToInt(Arrays::stream).max().orElseThrow() + 1;
    for (int place = 0; place < places; place++) {
      int node = place;
      int primary = (int) Arrays.stream(rows).filter(row -> row[0] == node).count();
      int backup = (int) Arrays.stream(rows).filter(row -> row[1] == node).count();
      loads.put(names.get(node), List.of(primary, backup));
    }
    return loads;
  }

  private static Map<String, List<Integer>> loads(HeadraceNode node) {
    Map<String, List<Integer>> loads = new HashMap<>();
    for (ClusterStatus.Member member : node.status().members()) {
      loads.put(member.name(), List.of(member.primarySegments(), member.backupSegments()));
    }
    return loads;
  }

  /** Replicas that have to be copied to come from rows to rows. */
  private static int missing(int[][] before, int[][] after) {
    int missing = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      List<Integer> had = Arrays.stream(before[segment]).boxed().toList();
      missing += (int) Arrays.stream(after[segment]).filter(node -> !had.contains(node)).count();
    }
    return missing;
  }

  private static boolean isAtRest(HeadraceNode node) {
    ClusterStatus.Rebalance last = node.status().rebalance();
    return last != null && !last.running();
  }

  private static int copies(HeadraceNode node) {
    ClusterStatus.Rebalance last = node.status().rebalance();
    return last == null ? -1 : last.copies();
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("the condition is met in time").isLessThan(deadlineNanos);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
