package dev.headrace.rebalance.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.placement.segment.Placements;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a coordinator does, one rule after the other. */
class RebalancerTest {

  @Test
  void aJoinMovesAsFewReplicasAsPossible() {
    Yard yard = Yard.of(256, 2, 5);
    yard.join(1);
    yard.settle();
    assertThat(yard.copies()).isEqualTo(yard.boundOfFirstPlan());
    assertThat(yard.owned(5)).isBetween(85, 86);
    assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves()).isEmpty();
  }

  /** However soon it is over: who has heard of no beginning hears of no end. */
  @Test
  void theBeginningOfARebalanceIsTold() {
    Yard yard = Yard.of(4, 1, 1);
    yard.told.clear();
    yard.join(1);
    yard.settle();
    assertThat(yard.told.get(0).plannedCopies()).isPositive();
    assertThat(yard.told.get(0).finished()).isFalse();
    assertThat(yard.told.get(yard.told.size() - 1).finished()).isTrue();
  }

  @Test
  void segmentsOnTheirWayAreNamed() {
    Yard yard = Yard.of(64, 2, 3);
    yard.neverCopies(3);
    yard.join(1);
    yard.run(200);
    assertThat(yard.named).isPositive();
  }

  @Test
  void joinsThatFollowEachOtherAreOnePlan() {
    Yard yard = Yard.of(100, 2, 1);
    yard.join(4);
    yard.join(5);
    assertThat(yard.orders()).isZero();
    yard.settle();
    assertThat(yard.copies()).isEqualTo(180);
  }

  @Test
  void aSegmentGetsItsSecondOwnerAloneAndAllOthersInOneStep() {
    Yard yard = Yard.of(64, 4, 1);
    yard.join(3);
    yard.settle();
    assertThat(yard.copies()).isEqualTo(3 * 64);
    assertThat(yard.orders()).isEqualTo(2 * 64);
  }

  @Test
  void aLeaverOwnsNothingInTheEnd() {
    Yard yard = Yard.of(64, 2, 4);
    yard.leave(1);
    yard.settle();
    assertThat(yard.owned(1)).isZero();
    assertThat(yard.smallestRow()).isEqualTo(2);
  }

  @Test
  void aReplicaIsNotGivenUpWhenANodeHasComeThatCanHoldAnother() {
    Yard yard = Yard.of(64, 2, 2);
    yard.leave(1);
    yard.join(1); // The plan to do with one replica has been proposed by now.
    yard.settle();
    assertThat(yard.owned(1)).isZero();
    assertThat(yard.smallestRow()).isEqualTo(2);
  }

  @Test
  void whatACrashTookIsCopiedAtOnce() {
    Yard yard = Yard.of(64, 2, 4);
    int lost = yard.owned(2);
    yard.crash(2);
    assertThat(yard.orders()).isPositive();
    yard.settle();
    assertThat(yard.smallestRow()).isEqualTo(2);
    assertThat(yard.copies()).isLessThanOrEqualTo((int) Math.ceil(lost * 1.05));
  }

  @Test
  void whatTablesTookThatNobodyToldIsCopiedToo() {
    Yard yard = Yard.of(64, 2, 4);
    yard.crashUnseen(2);
    yard.settle();
    assertThat(yard.smallestRow()).isEqualTo(2);
    assertThat(yard.owned(2)).isPositive();
  }

  /** It comes beside the owners that there are, one more than configured. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anOwnerThatAnAppealHasBroughtIsOneTooMany(int owners) {
    Yard yard = Yard.of(16, owners, 4);
    int stranger =
        IntStream.range(0, 4).filter(node -> !yard.owns(node, 7)).findFirst().orElseThrow();
    yard.giveBack(7, stranger);
    assertThat(yard.table().ownerCount(7)).isEqualTo(owners + 1);
    yard.settle();
    assertThat(yard.table().ownerCount(7)).isEqualTo(owners);
    assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves()).isEmpty();
  }

  @Test
  void aCopyThatFailsIsTriedAgainAlone() {
    Yard yard = Yard.of(64, 2, 4);
    yard.failNext(7);
    yard.join(1);
    yard.settle();
    assertThat(yard.failures()).isEqualTo(7);
    assertThat(yard.copies()).isEqualTo(yard.boundOfFirstPlan());
  }

  @Test
  void aDestinationThatDiesIsReplacedInThePlan() {
    Yard yard = Yard.of(64, 2, 4);
    yard.join(1);
    yard.hold();
    yard.stepsUntilCopies(5);
    yard.crash(4);
    yard.settle();
    assertThat(yard.smallestRow()).isEqualTo(2);
    assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves()).isEmpty();
  }

  @Test
  void anOrderWithoutReportIsSentAgain() {
    Yard yard = Yard.of(16, 2, 3);
    yard.loseOrders(4);
    yard.join(1);
    yard.settle();
    assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves()).isEmpty();
  }

  @Test
  void aNewCoordinatorGoesOnFromTheTable() {
    Yard yard = Yard.of(128, 2, 4);
    yard.join(1);
    yard.hold();
    yard.stepsUntilCopies(5);
    yard.changeCoordinator();
    yard.settle();
    assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves()).isEmpty();
    assertThat(yard.smallestRow()).isEqualTo(2);
  }

  @Test
  void whatAnEarlierBallotProposedMayComeInForceLate() {
    for (int steps = 0; steps < 200; steps++) {
      Yard yard = Yard.of(64, 2, 4);
      yard.join(1);
      yard.hold();
      yard.run(steps / 4);
      yard.beginNextBallot();
      yard.crash(steps % 4);
      yard.settle();
      assertThat(Planner.plan(new PlanInput(yard.table(), Set.of())).moves())
          .as("left to do in case %d", steps)
          .isEmpty();
      assertThat(yard.smallestRow()).isEqualTo(2);
    }
  }

  @Test
  void aSlowDestinationHoldsUpNobodyElse() {
    Yard yard = Yard.of(2048, 2, 2);
    yard.join(2);
    yard.neverCopies(3);
    yard.hold();
    yard.run(400);
    assertThat(yard.owned(2)).isGreaterThan(900);
  }

  @Test
  void aPlacementThatLeadsGetsItsRowsWhateverHappens() {
    Placement ring = Placements.of(SegmentPlacement.named("ketama-md5"));
    Yard yard = Yard.of(256, 2, 4, ring);
    yard.join(1);
    yard.settle();
    assertThat(yard.copies()).isEqualTo(yard.boundOfFirstPlan()).isPositive();
    yard.leave(1);
    yard.settle();
    yard.crash(2);
    yard.settle();
    assertThat(yard.owned(1)).isZero();
    assertThat(yard.smallestRow()).isEqualTo(2);
    PlanInput last = new PlanInput(yard.table(), Set.of(yard.table().members().get(1).id()), ring);
    assertThat(Planner.plan(last).moves()).isEmpty();
  }

  @Test
  void whereAPlacementFailsSegmentsStayAndPeopleAreTold() {
    Placement forFour =
        (segments, owners, members) -> {
          if (members.size() > 4) {
            throw new PlacementException("too many nodes");
          }
          return new WeightedRendezvous().place(segments, owners, members);
        };
    Yard yard = Yard.of(64, 2, 4, forFour);
    yard.join(1);
    yard.settle();
    assertThat(yard.orders()).isZero();
    assertThat(yard.warnings()).singleElement().asString().endsWith("too many nodes");
    yard.crash(2);
    yard.settle();
    assertThat(yard.smallestRow()).isEqualTo(2);
    assertThat(yard.owned(4)).isPositive();
  }

  @Test
  void afterADefectThatEndedAPlanThereIsAnother() {
    AtomicInteger defects = new AtomicInteger(1);
    Placement brokenOnce =
        (segments, owners, members) -> {
          if (members.size() > 4 && defects.getAndDecrement() > 0) {
            throw new ArithmeticException("a defect");
          }
          return new WeightedRendezvous().place(segments, owners, members);
        };
    Yard yard = Yard.of(64, 2, 4, brokenOnce);
    yard.join(1);
    assertThatThrownBy(yard::settle).isInstanceOf(ArithmeticException.class);
    yard.run(2_000);
    yard.settle();
    assertThat(yard.owned(4)).isPositive();
  }

  /** One when a node has come, and one more when all that it wanted is done. */
  @Test
  void movesOfTheRebalanceAreNoReasonToPlanAgain() {
    AtomicInteger plans = new AtomicInteger();
    Placement counting =
        (segments, owners, members) -> {
          plans.incrementAndGet();
          return new WeightedRendezvous().place(segments, owners, members);
        };
    Yard yard = Yard.of(512, 2, 4, counting);
    yard.join(1);
    yard.hold();
    yard.stepsUntilCopies(1);
    plans.set(0);
    yard.settle();
    assertThat(yard.owned(4)).isGreaterThan(100);
    assertThat(plans).hasValue(1);
  }

  @Test
  void anUnwrittenTableIsLeftAlone() {
    Yard yard = Yard.unwritten(16, 2, 2);
    yard.join(1);
    yard.run(200);
    assertThat(yard.orders()).isZero();
  }
}
