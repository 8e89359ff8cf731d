package dev.headrace.rebalance.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.placement.FairShares;
import dev.headrace.rebalance.plan.Plan.NodeLoad;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every plan, whatever the members, capacities, zones, rows and changes are. */
final class PlannerPropertiesTest {

  @Provide
  Arbitrary<Scenario> anything() {
    return scenarios(4, 3, 2, 2);
  }

  @Provide
  Arbitrary<Scenario> withoutZones() {
    return scenarios(1, 3, 2, 2);
  }

  @Provide
  Arbitrary<Scenario> joins() {
    return scenarios(1, 5, 0, 0);
  }

  private static Arbitrary<Scenario> scenarios(int zones, int joins, int leaves, int crashes) {
    return Combinators.combine(
            Arbitraries.integers().between(1, 9),
            Arbitraries.integers().between(1, zones),
            Arbitraries.integers().between(1, 5),
            Arbitraries.integers().between(1, 40),
            Arbitraries.integers().between(0, joins),
            Arbitraries.integers().between(0, leaves),
            Arbitraries.integers().between(0, crashes),
            Arbitraries.longs())
        .as(Scenario::new)
        .filter(scenario -> scenario.leaves() + scenario.crashes() < scenario.nodes());
  }

  @Property(tries = 400)
  void everySegmentHasItsOwnersAndKeepsZonesApart(@ForAll("anything") Scenario scenario) {
    Assume.that(!scenario.holders().isEmpty());
    assertRowsAreWhole(scenario, Planner.plan(scenario.input()));
  }

  @Property(tries = 400)
  void noPlanCopiesLess(@ForAll("anything") Scenario scenario) {
    Assume.that(!scenario.holders().isEmpty());
    Plan plan = Planner.plan(scenario.input());
    assertThat(plan.copies()).isEqualTo(LeastCopies.of(scenario.input()));
    assertThat(plan.copies()).isGreaterThanOrEqualTo(plan.lowerBound());
  }

  @Property(tries = 400)
  void replicasAreTheWholeNumbersNextToTheFairShare(@ForAll("anything") Scenario scenario) {
    Assume.that(!scenario.holders().isEmpty());
    assertReplicasAreFair(scenario, Planner.plan(scenario.input()));
  }

  @Property(tries = 400)
  void replicasAndPrimariesAreLevelWhereCapacitiesAreEqual(@ForAll("withoutZones") Scenario drawn) {
    Scenario scenario = evenSeed(drawn);
    Plan plan = Planner.plan(scenario.input());
    assertThat(spread(plan, scenario, NodeLoad::replicasAfter)).isLessThanOrEqualTo(1);
    assertThat(spread(plan, scenario, NodeLoad::primariesAfter)).isLessThanOrEqualTo(1);
  }

  @Property(tries = 400)
  void theMovesLeadToTheTargetAndNeverLowerLiveReplicas(@ForAll("anything") Scenario scenario) {
    Plan plan = Planner.plan(scenario.input());
    assertThat(plan.copies()).isEqualTo(Walk.along(plan, scenario.table()));
  }

  @Property(tries = 200)
  void segmentsWithTheFewestLiveReplicasAreCopiedFirst(@ForAll("anything") Scenario scenario) {
    SegmentTable table = scenario.table();
    Map<Integer, Integer> live = new HashMap<>();
    List<Integer> inOrder = new ArrayList<>();
    for (Move move : Planner.plan(scenario.input()).moves()) {
      int before = live.getOrDefault(move.segment(), table.ownerCount(move.segment()));
      live.put(move.segment(), move.targetRow().size());
      if (move.copies()) {
        inOrder.add(before);
      }
    }
    assertThat(inOrder).isSorted();
  }

  @Property(tries = 200)
  void equalInputsGiveEqualPlans(@ForAll("anything") Scenario scenario) {
    Plan plan = Planner.plan(scenario.input());
    assertThat(Planner.plan(scenario.input())).isEqualTo(plan).hasSameHashCodeAs(plan);
  }

  @Property(tries = 200)
  void whatIsPlannedNeedsNoOtherPlan(@ForAll("anything") Scenario scenario) {
    PlanInput input = scenario.input();
    SegmentTable after = Clusters.after(input.table(), Planner.plan(input));
    assertThat(Planner.plan(new PlanInput(after, input.leaving())).moves()).isEmpty();
  }

  @Property(tries = 200)
  void aFreshPlacementNeedsNoPlan(@ForAll("anything") Scenario scenario) {
    SegmentTable table =
        Clusters.placed(scenario.before().members(), scenario.segments(), scenario.owners());
    assertThat(Clusters.plan(table).moves()).isEmpty();
  }

  @Property(tries = 400)
  void joinsCopyTheLowerBound(@ForAll("joins") Scenario drawn) {
    Scenario scenario = evenSeed(levelSeed(drawn));
    Plan plan = Planner.plan(scenario.input());
    assertThat(plan.copies()).isEqualTo(plan.lowerBound());
    assertOnlyTheNewReceive(scenario, plan);
  }

  @Property(tries = 200)
  void plansStayLevelAndWholeWhenTheSearchRunsOutOfSteps(@ForAll("anything") Scenario scenario) {
    Assume.that(!scenario.holders().isEmpty());
    Plan plan = Planner.plan(scenario.input(), 0);
    assertRowsAreWhole(scenario, plan);
    assertReplicasAreFair(scenario, plan);
  }

  private static void assertRowsAreWhole(Scenario scenario, Plan plan) {
    List<Member> holders = scenario.holders();
    Map<NodeId, String> zones = new HashMap<>();
    holders.forEach(member -> zones.put(member.id(), member.zone()));
    int owners = Math.min(scenario.owners(), holders.size());
    int perZone = fewestPerZone(zones, owners);
    for (int segment = 0; segment < plan.segments(); segment++) {
      List<NodeId> row = plan.targetRow(segment);
      assertThat(row).hasSize(owners).doesNotHaveDuplicates().isSubsetOf(zones.keySet());
      Map<String, Integer> inZone = new HashMap<>();
      row.forEach(node -> inZone.merge(String.valueOf(zones.get(node)), 1, Integer::sum));
      assertThat(inZone.values()).allMatch(count -> count <= perZone);
    }
  }

  /** The least number of owners in the fullest zone that any row of so many owners can have. */
  private static int fewestPerZone(Map<NodeId, String> zones, int owners) {
    Map<String, Integer> sizes = new HashMap<>();
    zones.values().forEach(zone -> sizes.merge(zone, 1, Integer::sum));
    return IntStream.rangeClosed(1, owners)
        .filter(most -> sizes.values().stream().mapToInt(s -> Math.min(s, most)).sum() >= owners)
        .findFirst()
        .orElseThrow();
  }

  private static void assertReplicasAreFair(Scenario scenario, Plan plan) {
    List<Member> holders = scenario.holders();
    double[] shares = new FairShares(holders, scenario.segments(), scenario.owners()).replicas();
    Map<NodeId, Integer> replicas = new HashMap<>();
    plan.loads().forEach(load -> replicas.put(load.member().id(), load.replicasAfter()));
    for (int node = 0; node < shares.length; node++) {
      assertThat(replicas.get(holders.get(node).id()))
          .isBetween(FairShares.least(shares[node]), FairShares.most(shares[node]));
    }
  }

  private static void assertOnlyTheNewReceive(Scenario scenario, Plan plan) {
    boolean wasInSync = scenario.owners() <= scenario.before().effectiveOwners();
    if (wasInSync) {
      Set<NodeId> old = new HashSet<>();
      scenario.before().members().forEach(member -> old.add(member.id()));
      assertThat(plan.moves()).noneMatch(move -> move.copies() && old.contains(move.add()));
    }
  }

  private static int spread(Plan plan, Scenario scenario, ToIntFunction<NodeLoad> count) {
    List<Member> holders = scenario.holders();
    var counts =
        plan.loads().stream()
            .filter(load -> holders.contains(load.member()))
            .mapToInt(count)
            .summaryStatistics();
    return counts.getMax() - counts.getMin();
  }

  /** The same with equal capacities. */
  private static Scenario evenSeed(Scenario scenario) {
    return withSeed(scenario, scenario.seed() & ~1);
  }

  /** The same from level rows. */
  private static Scenario levelSeed(Scenario scenario) {
    return withSeed(scenario, scenario.seed() & ~2);
  }

  private static Scenario withSeed(Scenario scenario, long seed) {
    return new Scenario(
        scenario.nodes(),
        scenario.zones(),
        scenario.owners(),
        scenario.segments(),
        scenario.joins(),
        scenario.leaves(),
        scenario.crashes(),
        seed);
  }
}
