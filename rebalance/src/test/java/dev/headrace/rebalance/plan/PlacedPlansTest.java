package dev.headrace.rebalance.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.placement.PlacementKind;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What holds for every plan that a placement leads. */
final class PlacedPlansTest {

  @Provide
  Arbitrary<Scenario> anything() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 9),
            Arbitraries.integers().between(1, 4),
            Arbitraries.integers().between(1, 5),
            Arbitraries.integers().between(1, 40),
            Arbitraries.integers().between(0, 3),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 2),
            Arbitraries.longs())
        .as(Scenario::new)
        .filter(scenario -> scenario.leaves() + scenario.crashes() < scenario.nodes())
        .filter(scenario -> !scenario.holders().isEmpty());
  }

  @Provide
  Arbitrary<Placement> placements() {
    Arbitrary<PlacementKind> kinds =
        Arbitraries.of(PlacementKind.class)
            .filter(
                kind ->
                    kind != PlacementKind.LEVELLED_RENDEZVOUS
                        && kind != PlacementKind.MAGLEV); // takes long to build
    return Combinators.combine(kinds, Arbitraries.of(0.0, 1.0, 1.25))
        .as(
            (kind, bound) ->
                bound == 0 ? SegmentPlacement.of(kind) : SegmentPlacement.of(kind, bound))
        .map(Placements::of);
  }

  @Property(tries = 300)
  void everySegmentGetsTheOwnersAndThePrimaryThatThePlacementGivesIt(
      @ForAll("anything") Scenario scenario, @ForAll("placements") Placement placement) {
    Plan plan = plan(scenario, placement);
    List<Member> holders = scenario.holders();
    int[][] placed = placement.place(scenario.segments(), scenario.owners(), holders);
    for (int segment = 0; segment < plan.segments(); segment++) {
      List<NodeId> row = plan.targetRow(segment);
      assertThat(row).containsExactlyInAnyOrderElementsOf(ids(placed[segment], holders));
      assertThat(row.get(0)).isEqualTo(holders.get(placed[segment][0]).id());
    }
  }

  @Property(tries = 300)
  void onlyWhatAnOwnerLacksIsCopiedAndThatIsTheBound(
      @ForAll("anything") Scenario scenario, @ForAll("placements") Placement placement) {
    Plan plan = plan(scenario, placement);
    SegmentTable table = scenario.table();
    int lacking = 0;
    for (int segment = 0; segment < plan.segments(); segment++) {
      List<NodeId> before = table.owners(segment);
      boolean lost = before.isEmpty();
      lacking +=
          (int)
              plan.targetRow(segment).stream().filter(id -> !lost && !before.contains(id)).count();
    }
    assertThat(plan.copies()).isEqualTo(lacking).isEqualTo(plan.lowerBound());
  }

  @Property(tries = 300)
  void theMovesLeadToTheTargetAndNeverLowerLiveReplicas(
      @ForAll("anything") Scenario scenario, @ForAll("placements") Placement placement) {
    Plan plan = plan(scenario, placement);
    assertThat(Walk.along(plan, scenario.table())).isEqualTo(plan.copies());
  }

  @Property(tries = 200)
  void whatIsPlannedNeedsNoOtherPlanAndIsAlwaysTheSame(
      @ForAll("anything") Scenario scenario, @ForAll("placements") Placement placement) {
    Plan plan = plan(scenario, placement);
    assertThat(plan(scenario, placement)).isEqualTo(plan);
    SegmentTable after = Clusters.after(scenario.table(), plan);
    assertThat(Planner.plan(new PlanInput(after, scenario.leaving(), placement)).moves()).isEmpty();
  }

  @Property(tries = 100)
  void aPlanThatKeepsEverythingHasNoMoves(@ForAll("anything") Scenario scenario) {
    assertThat(Planner.keep(scenario.input()).moves()).isEmpty();
  }

  @Test
  void aRingMovesOnlyWhatTheNewNodeGets() {
    Placement ring = Placements.of(SegmentPlacement.named("ketama-md5"));
    List<Member> four = Clusters.nodes(1, 4);
    SegmentTable before = Clusters.table(four, 2, ring.place(256, 2, four));
    Member fifth = Clusters.node(5, "", 1);
    Plan plan =
        Planner.plan(new PlanInput(Clusters.joined(before, List.of(fifth)), Set.of(), ring));

    assertThat(plan.copies()).isBetween(50, 160);
    assertThat(plan.moves())
        .filteredOn(Move::copies)
        .allMatch(move -> fifth.id().equals(move.add()));
  }

  @Test
  void anotherOrderOfBackupsIsNoMove() {
    List<Member> nodes = Clusters.nodes(1, 3);
    SegmentTable table = Clusters.table(nodes, 3, new int[][] {{0, 1, 2}, {0, 1, 2}});
    Placement turned = (segments, owners, members) -> new int[][] {{0, 2, 1}, {2, 1, 0}};
    Plan plan = Planner.plan(new PlanInput(table, Set.of(), turned));

    assertThat(plan.copies()).isZero();
    assertThat(plan.swaps()).isEqualTo(1);
    assertThat(plan.targetRow(0)).isEqualTo(table.owners(0));
    assertThat(plan.targetRow(1)).isEqualTo(ids(new int[] {2, 1, 0}, nodes));
  }

  private static Plan plan(Scenario scenario, Placement placement) {
    return Planner.plan(new PlanInput(scenario.table(), scenario.leaving(), placement));
  }

  private static List<NodeId> ids(int[] row, List<Member> members) {
    return IntStream.of(row).mapToObj(place -> members.get(place).id()).toList();
  }
}
