package dev.headrace.cluster.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cluster time on clocks that run at different rates, with messages that take their time. */
final class ClusterClockTest {
  private static final NodeId COORDINATOR = new NodeId(0, 1);
  private static final NodeId MEMBER = new NodeId(0, 2);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long BEAT_NANOS = 250 * MILLI;

  private final Random random = new Random(7);
  private long trueNanos = SECOND;
  private long coordinatorRatePpm;
  private long memberRatePpm;

  private final ClusterClock coordinator = new ClusterClock(() -> at(coordinatorRatePpm), 5_000);
  private final ClusterClock member = new ClusterClock(() -> at(memberRatePpm), 900_000_000);

  private long at(long ratePpm) {
    return trueNanos + trueNanos / 1_000_000 * ratePpm;
  }

  private void begin() {
    coordinator.follow(COORDINATOR, true);
    coordinator.settle();
    member.follow(COORDINATOR, false);
  }

  /** The member sends, the coordinator answers; each way takes so long. */
  private void roundTrip(long thereNanos, long heldNanos, long backNanos) {
    ClusterClock.Stamp question = member.stamp(COORDINATOR);
    trueNanos += thereNanos;
    coordinator.received(MEMBER, question);
    trueNanos += heldNanos;
    ClusterClock.Stamp answer = coordinator.stamp(MEMBER);
    trueNanos += backNanos;
    member.received(COORDINATOR, answer);
  }

  private long skewMillis() {
    return member.getAsLong() - coordinator.getAsLong();
  }

  private void assertWithinError() {
    assertThat(Math.abs(skewMillis()))
        .isLessThanOrEqualTo(member.errorNanos() / MILLI + 1); // a millisecond is the resolution
  }

  @Test
  void aRoundTripTellsTheTimeAndHowWrongItMayBe() {
    begin();
    assertThat(member.isAccurate()).isFalse();
    roundTrip(MILLI, 40 * MILLI, MILLI);
    assertThat(skewMillis()).isBetween(-1L, 1L);
    assertThat(member.errorNanos()).isBetween(MILLI, 2 * MILLI);
    assertThat(member.isAccurate()).isTrue();
    assertThat(coordinator.errorNanos()).isZero();
  }

  /** The schedule that made a node 2 s slow for its life. */
  @Test
  void aPauseWhileTheTimeIsAdoptedIsOutlived() {
    begin();
    roundTrip(MILLI, 0, 2 * SECOND); // read by a node that has just woken up
    assertThat(member.isAccurate()).as("it is not let into use with %s ms", skewMillis()).isFalse();
    assertWithinError();
    member.settle();
    roundTrip(MILLI, 0, MILLI);
    assertWithinError();
    assertThat(skewMillis()).isBetween(-2L, 2L);
    assertThat(member.isAccurate()).isTrue();
  }

  @Test
  void aPauseLaterDoesNotSpoilWhatIsKnown() {
    begin();
    roundTrip(MILLI, 0, MILLI);
    member.settle();
    for (int i = 0; i < 10; i++) {
      trueNanos += BEAT_NANOS;
      roundTrip(i % 2 == 0 ? 3 * SECOND : MILLI, 0, i % 2 == 0 ? MILLI : 3 * SECOND);
      assertThat(skewMillis()).isBetween(-2L, 2L);
      assertWithinError();
    }
  }

  @Test
  void timeThatIsAheadRunsSlowerAndNeverBack() {
    begin();
    roundTrip(2 * SECOND, 0, MILLI); // it takes the middle, and so is ahead by a second
    member.settle();
    assertThat(skewMillis()).isBetween(990L, 1010L);
    roundTrip(MILLI, 0, MILLI);
    long before = member.getAsLong();
    for (int i = 0; i < 3_000; i++) {
      trueNanos += MILLI;
      assertThat(member.getAsLong()).isGreaterThanOrEqualTo(before);
      before = member.getAsLong();
      assertWithinError();
    }
    assertThat(skewMillis()).isBetween(-2L, 2L);
    assertThat(member.isAccurate()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {-2_000, -200, 0, 200, 2_000})
  void clocksThatRunDifferentlyStayTogether(long ratePpm) {
    memberRatePpm = ratePpm;
    coordinatorRatePpm = -ratePpm / 2;
    begin();
    roundTrip(MILLI, 0, MILLI);
    member.settle();
    long before = 0;
    long worst = 0;
    for (int beat = 0; beat < 4_000; beat++) {
      trueNanos += BEAT_NANOS;
      roundTrip(delayNanos(), random.nextInt(100) * MILLI, delayNanos());
      assertThat(member.getAsLong()).isGreaterThanOrEqualTo(before);
      before = member.getAsLong();
      assertWithinError();
      worst = Math.max(worst, beat < 100 ? 0 : Math.abs(skewMillis()));
    }
    assertThat(worst).as("after some seconds").isLessThan(20);
  }

  /** Mostly short, sometimes very long. */
  private long delayNanos() {
    return random.nextInt(20) == 0 ? random.nextInt(1_500) * MILLI : random.nextInt(2) * MILLI;
  }

  @Test
  void aSuccessorOfTheCoordinatorGoesOnWithItsTime() {
    begin();
    roundTrip(MILLI, 0, MILLI);
    member.settle();
    long before = member.getAsLong();
    trueNanos += SECOND;
    member.follow(MEMBER, true);
    assertThat(member.getAsLong() - before).isBetween(999L, 1_001L);
    assertThat(member.errorNanos()).isZero();
    coordinator.follow(MEMBER, false);
    assertThat(coordinator.isAccurate()).as("until it has asked").isFalse();
    Queue<ClusterClock.Stamp> messages = new ArrayDeque<>();
    messages.add(coordinator.stamp(MEMBER));
    trueNanos += MILLI;
    member.received(COORDINATOR, messages.remove());
    messages.add(member.stamp(COORDINATOR));
    trueNanos += MILLI;
    coordinator.received(MEMBER, messages.remove());
    assertThat(coordinator.isAccurate()).isTrue();
    assertThat(skewMillis()).isBetween(-2L, 2L);
  }

  /** All that the former coordinator has heard of the next one is what that said after a pause. */
  @Test
  void aSuccessorThatHasJustWokenUpMovesNobodysClock() {
    begin();
    roundTrip(MILLI, 0, MILLI);
    member.settle();
    ClusterClock.Stamp question = coordinator.stamp(MEMBER);
    trueNanos += 30 * SECOND;
    member.received(COORDINATOR, question);
    coordinator.received(MEMBER, member.stamp(COORDINATOR));
    member.follow(MEMBER, true);
    coordinator.follow(MEMBER, false);

    assertThat(skewMillis()).isBetween(-2L, 2L);
    assertThat(coordinator.isAccurate()).as("until it has asked").isFalse();
    roundTrip(MILLI, 0, MILLI);
    coordinator.received(MEMBER, member.stamp(COORDINATOR));
    assertThat(coordinator.isAccurate()).isTrue();
    assertThat(skewMillis()).isBetween(-2L, 2L);
  }

  @Test
  void aClockThatABadEstimateContradictsIsSetAsFarAsItMust() {
    begin();
    roundTrip(MILLI, 0, MILLI);
    member.settle();
    NodeId other = new NodeId(0, 3);
    ClusterClock late = new ClusterClock(() -> trueNanos, coordinator.getAsLong() + 20_000);
    late.follow(other, true);
    ClusterClock.Stamp question = member.stamp(other);
    trueNanos += SECOND;
    late.received(MEMBER, question);
    member.received(other, late.stamp(MEMBER));
    member.follow(other, false);

    assertThat(late.getAsLong() - member.getAsLong()).isBetween(-2L, 2L);
  }

  @Test
  void anAnswerToNoQuestionIsAGuessOnly() {
    begin();
    ClusterClock.Stamp stamp = coordinator.stamp(MEMBER);
    trueNanos += 2 * SECOND;
    member.received(COORDINATOR, stamp);
    assertThat(skewMillis()).isBetween(-2_001L, -1_999L);
    assertThat(member.isAccurate()).isFalse();
  }
}
