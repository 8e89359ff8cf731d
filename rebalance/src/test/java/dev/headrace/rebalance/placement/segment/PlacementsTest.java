package dev.headrace.rebalance.placement.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementKind;
import dev.headrace.api.placement.PlacementNode;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class PlacementsTest {

  private static final List<Member> MEMBERS =
      List.of(member(1, "one", "x"), member(2, "two", "x"), member(3, "three", "y"));

  @ParameterizedTest
  @EnumSource(PlacementKind.class)
  void everyBuiltInPlacementPlaces(PlacementKind kind) {
    int[][] rows = Placements.of(SegmentPlacement.of(kind)).place(20, 2, MEMBERS);
    assertThat(rows).hasDimensions(20, 2);
    for (int[] row : rows) {
      assertThat(row).doesNotHaveDuplicates();
      assertThat(IntStream.of(row).filter(node -> node == 2).count()).as("owners in y").isOne();
    }
  }

  @Test
  void onlyTheDefaultPlansFromWhoOwnsWhat() {
    for (PlacementKind kind : PlacementKind.values()) {
      boolean levels = kind == PlacementKind.LEVELLED_RENDEZVOUS;
      assertThat(Placements.of(SegmentPlacement.of(kind)).leadsPlans()).isEqualTo(!levels);
    }
    assertThat(Placements.of(SegmentPlacement.LEVELLED_RENDEZVOUS))
        .isInstanceOf(WeightedRendezvous.class);
  }

  @Test
  void aBoundLimitsWhatANodeGets() {
    List<Member> twelve =
        IntStream.range(0, 12).mapToObj(number -> member(number, "n" + number, "")).toList();
    assertThat(most("simple-fnv1a", twelve)).isGreaterThan(200);
    assertThat(most("simple-fnv1a:1.25", twelve)).isLessThanOrEqualTo(107);
  }

  private static long most(String name, List<Member> members) {
    int[] replicas = new int[members.size()];
    for (int[] row : Placements.of(SegmentPlacement.named(name)).place(1024, 1, members)) {
      replicas[row[0]]++;
    }
    return IntStream.of(replicas).max().orElseThrow();
  }

  @Test
  void aRingIsOfTheNodesNamesWhateverTheirIdentities() {
    List<Member> again =
        List.of(member(7, "one", "x"), member(8, "two", "x"), member(9, "three", "y"));
    Placement ring = Placements.of(SegmentPlacement.named("ketama-md5"));
    assertThat(ring.place(256, 2, again)).isEqualTo(ring.place(256, 2, MEMBERS));
  }

  @Test
  void aRuleSeesTheNodesThatMayOwnSegments() {
    List<PlacementNode> seen = new ArrayList<>();
    Placement rule =
        rule(
            (segments, owners, nodes) -> {
              seen.addAll(nodes);
              return new int[][] {{1, 0}};
            });
    List<Member> members =
        List.of(
            new Member(new NodeId(1, 1), "client", "h", 1, "", 0),
            new Member(new NodeId(2, 7), "same", "10.0.0.1", 11211, "z", 2.5),
            new Member(new NodeId(0x3fa2c4L << 40, 8), "same", "10.0.0.2", 11211, "", 1));

    assertThat(rule.place(1, 3, members)).isEqualTo(new int[][] {{2, 1}});
    assertThat(seen.subList(0, 2))
        .containsExactly(
            new PlacementNode(new UUID(2, 7), "same", "10.0.0.1:11211", 2.5, "z"),
            new PlacementNode(
                new UUID(0x3fa2c4L << 40, 8), "same~3fa2c4", "10.0.0.2:11211", 1, ""));
  }

  @Test
  void whereNobodyMayOwnSegmentsARuleIsNotAsked() {
    Placement rule =
        rule(
            (segments, owners, nodes) -> {
              throw new IllegalStateException("asked");
            });
    assertThat(rule.place(2, 2, List.of(new Member(new NodeId(1, 1), "c", "h", 1, "", 0))))
        .isEqualTo(new int[][] {{}, {}});
  }

  private static Arguments wrong(String message, PlacementRule rule) {
    return Arguments.of(message, rule);
  }

  static Stream<Arguments> wrongRules() {
    Random lots = new Random(1);
    return Stream.of(
        wrong("gives 0 rows; give one for each of 2 segments", (s, o, n) -> null),
        wrong("gives 1 rows; give one for each of 2 segments", (s, o, n) -> new int[][] {{0, 2}}),
        wrong(
            "gives segment 1 the owners []; give it exactly 2",
            (s, o, n) -> new int[][] {{0, 2}, null}),
        wrong(
            "gives segment 0 the owners [2]; give it exactly 2",
            (s, o, n) -> new int[][] {{2}, {0, 2}}),
        wrong(
            "gives segment 1 the owners [0, 1, 2]; give it exactly 2",
            (s, o, n) -> new int[][] {{0, 2}, {0, 1, 2}}),
        wrong(
            "gives segment 1 to node 2 twice; give it to different nodes",
            (s, o, n) -> new int[][] {{0, 2}, {2, 2}}),
        wrong(
            "gives segment 0 to node 3; name nodes by their places in the list, 0 to 2",
            (s, o, n) -> new int[][] {{0, 3}, {0, 2}}),
        wrong(
            "gives segment 0 to node -1; name nodes by their places in the list, 0 to 2",
            (s, o, n) -> new int[][] {{-1, 2}, {0, 2}}),
        wrong(
            "gives segment 1 more than 1 owners in a zone; spread them over the zones, or start"
                + " nodes without zones",
            (s, o, n) -> new int[][] {{0, 2}, {0, 1}}),
        wrong(
            "fails: java.lang.IllegalStateException: no moon; see the cause",
            (s, o, n) -> {
              throw new IllegalStateException("no moon");
            }),
        wrong(
            "gives other rows when it is asked again; let it depend on nothing but its arguments",
            (s, o, n) -> new int[][] {{lots.nextInt(2), 2}, {lots.nextInt(2), 2}}));
  }

  @ParameterizedTest
  @MethodSource("wrongRules")
  void whatIsWrongWithARuleIsSaid(String message, PlacementRule rule) {
    assertThatThrownBy(
            () -> {
              for (int attempt = 0; attempt < 100; attempt++) { // one that draws lots may be lucky
                rule(rule).place(2, 2, MEMBERS);
              }
            })
        .isInstanceOf(PlacementException.class)
        .hasMessage("The placement rule \"by-moon\" " + message);
  }

  private static Placement rule(PlacementRule rule) {
    return Placements.of(SegmentPlacement.custom("by-moon", rule));
  }

  private static Member member(int number, String name, String zone) {
    return new Member(new NodeId(number * 31L, number), name, "h", 1, zone, 1);
  }
}
