package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.FaultScope;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whether a write that has failed may have been carried out all the same. */
class UncertainWritesTest extends ClientOfTwoOwners {

  @Test
  void whenTimeIsUpAWriteIsUnknownAndAReadUnavailable() {
    install(table);
    Ending write = submit(put("k"));
    Ending read = submit(get("k"));
    tick(0);
    tick(2_999);
    assertThat(write.calls).hasValue(0);
    tick(1);
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(write.message).contains("Segment 0", "\"c\"", "epoch 1.0", "in time");
    assertThat(read.failure).isEqualTo(Failure.UNAVAILABLE);
    String asked = table.members().get(0).name();
    assertThat(write.scope).isEqualTo(new FaultScope("c", List.of(0), List.of(asked)));
    assertThat(read.scope.missingNodes()).hasSize(1);
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(write.calls).hasValue(1);
  }

  @Test
  void aWriteThatWasOnlyEverRefusedIsUnavailableWhenTimeIsUp() {
    install(table);
    Ending write = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).isEqualTo(Failure.UNAVAILABLE);
    assertThat(write.scope).as("it has answered").isEqualTo(FaultScope.ofSegment("c", 0));
  }

  @Test
  void aRefusalThatComesTwiceDoesNotSpeakForAnotherNode() {
    install(table);
    Ending write = submit(put("k"));
    install(table.withoutMembers(table.epoch() + 1, Set.of(ONE)));
    assertThat(receivers).containsExactly(ONE, TWO);
    caller.replied(TWO, answer(1, Outcome.STALE));
    caller.replied(TWO, answer(1, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).as("the first owner may have it").isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void aRefusalThatComesTwiceDoesNotSpeakForAnotherAttempt() {
    install(table);
    Ending write = submit(put("k"));
    caller.disconnected(ONE);
    tick(0);
    tick(1);
    assertThat(receivers).containsExactly(ONE, ONE);
    caller.replied(ONE, answer(0, Outcome.STALE));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).as("the second attempt may lie there").isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void theRefusalOfAnEarlierTargetCountsWheneverItComes() {
    install(table);
    Ending write = submit(put("k"));
    install(table.withoutMembers(table.epoch() + 1, Set.of(ONE)));
    caller.replied(TWO, answer(1, Outcome.STALE));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).isEqualTo(Failure.UNAVAILABLE);
  }

  @Test
  void anOldAttemptThatWasNotRefusedLeavesAWriteInDoubtForGood() {
    install(table);
    Ending write = new Ending();
    caller.submit(put("k"), 60_000 * MILLIS, write);
    caller.disconnected(ONE);
    for (int attempt = 1; attempt <= Long.SIZE + 1; attempt++) {
      tick(0);
      tick(64);
      assertThat(messages).hasSize(attempt + 1);
      caller.replied(ONE, answer(attempt, Outcome.STALE));
    }
    caller.replied(ONE, answer(0, Outcome.UNAVAILABLE));
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void whetherAWriteIsDeclinedOrUnknownDependsOnTheAttemptsBefore() {
    install(table);
    Ending refusedBefore = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    tick(0);
    tick(1);
    caller.replied(ONE, answer(1, Outcome.UNAVAILABLE));
    assertThat(refusedBefore.failure).isEqualTo(Failure.UNAVAILABLE);

    Ending lostBefore = submit(put("k"));
    caller.disconnected(ONE);
    tick(0);
    tick(1);
    caller.replied(ONE, answer(3, Outcome.TOO_MANY_CACHES));
    assertThat(lostBefore.failure).isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void aWriteThatIsDeclinedAfterItWasSentAgainWaitsForTheOtherAnswer() {
    install(table);
    Ending carriedOut = sentTwice();
    caller.replied(ONE, answer(0, Outcome.MEMORY_FULL));
    assertThat(carriedOut.calls).hasValue(0);
    caller.replied(ONE, answer(1, Outcome.DONE));
    assertThat(carriedOut.reply.outcome()).isEqualTo(Outcome.DONE);

    messages.clear();
    Ending declined = sentTwice();
    caller.replied(ONE, answer(0, Outcome.MEMORY_FULL));
    caller.replied(ONE, answer(1, Outcome.MEMORY_FULL));
    assertThat(declined.failure).isEqualTo(Failure.MEMORY_FULL);

    messages.clear();
    Ending unanswered = sentTwice();
    caller.replied(ONE, answer(0, Outcome.MEMORY_FULL));
    endOfTime();
    assertThat(unanswered.failure).isEqualTo(Failure.UNKNOWN);
  }

  /** The answers of one node to two attempts need not come in order. */
  @Test
  void aWriteWhoseSecondAttemptIsDeclinedFirstWaitsForTheFirst() {
    install(table);
    Ending declined = sentTwice();
    caller.replied(ONE, answer(1, Outcome.MEMORY_FULL));
    assertThat(declined.calls).hasValue(0);
    caller.replied(ONE, answer(0, Outcome.MEMORY_FULL));
    assertThat(declined.failure).isEqualTo(Failure.MEMORY_FULL);

    messages.clear();
    Ending refused = sentTwice();
    caller.replied(ONE, answer(1, Outcome.MEMORY_FULL));
    caller.replied(ONE, answer(0, Outcome.STALE));
    assertThat(refused.calls).hasValue(0);
    tick(0);
    tick(64);
    assertThat(messages).hasSize(3);
    caller.replied(ONE, answer(2, Outcome.MEMORY_FULL));
    assertThat(refused.failure).isEqualTo(Failure.MEMORY_FULL);

    messages.clear();
    Ending carriedOut = sentTwice();
    caller.replied(ONE, answer(1, Outcome.MEMORY_FULL));
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(carriedOut.reply.outcome()).isEqualTo(Outcome.DONE);
  }

  @Test
  void aWriteIsUnknownIfItIsDeclinedAgainAndAgainAndTheFirstAttemptIsNeverAnswered() {
    install(table);
    Ending write = sentTwice();
    for (int attempt = 1; attempt <= Call.MAX_REPEATS_AFTER_DECLINE; attempt++) {
      caller.replied(ONE, answer(attempt, Outcome.MEMORY_FULL));
      assertThat(write.calls).hasValue(0);
      tick(0);
      tick(64);
      assertThat(messages).hasSize(attempt + 2);
    }
    caller.replied(ONE, answer(Call.MAX_REPEATS_AFTER_DECLINE + 1, Outcome.MEMORY_FULL));
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
  }

  /** A write whose first attempt has not been answered for so long that there is a second. */
  private Ending sentTwice() {
    Ending ending = submit(put("k"));
    tick(0);
    tick(501);
    assertThat(messages).hasSize(2);
    return ending;
  }
}
