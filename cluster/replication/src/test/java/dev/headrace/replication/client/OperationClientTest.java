package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperationClientTest extends ClientOfTwoOwners {

  @Test
  void beforeTheFirstTableNothingIsAvailable() {
    assertThat(submit(get("k")).failure).isEqualTo(Failure.UNAVAILABLE);
  }

  @Test
  void aReplyEndsItsOperationOnce() {
    install(table);
    Ending ending = submit(put("k"));
    assertThat(receivers).containsExactly(ONE);
    caller.replied(ONE, answer(0, Outcome.DONE));
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(ending.calls).hasValue(1);
    assertThat(ending.reply.outcome()).isEqualTo(Outcome.DONE);
    assertThat(caller.outstanding()).isZero();
  }

  @Test
  void aFailureNamesTheNodeThatWasAskedButAnotherFormatOnlyTheCache() {
    install(table);
    Ending few = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.UNAVAILABLE));
    assertThat(few.message).endsWith("sent to n1)");
    Ending other = submit(get("k"));
    caller.replied(ONE, answer(1, Outcome.WRONG_FORMAT));
    assertThat(other.message).isEqualTo("Cache \"c\" holds keys or values of another format");
  }

  @Test
  void aRefusedOperationIsSentAgainUnderItsNumberAfterAWhile() {
    install(table);
    Ending ending = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    assertThat(messages).hasSize(1);
    tick(0);
    tick(1);
    assertThat(messages).hasSize(2);
    assertThat(sent(1).id().sequence()).isEqualTo(sent(0).id().sequence());
    caller.replied(ONE, answer(1, Outcome.STALE));
    tick(0);
    tick(1);
    assertThat(messages).as("the wait is doubled").hasSize(2);
    tick(1);
    assertThat(messages).hasSize(3);
    caller.replied(ONE, answer(2, Outcome.DONE));
    assertThat(ending.reply).isNotNull();
  }

  @Test
  void anOwnerThatIsBehindGetsTheTable() {
    install(table);
    submit(put("k"));
    caller.replied(ONE, OperationReply.refused(sent(0).id(), Outcome.STALE, table.epoch() - 1));
    assertThat(told).containsExactly(ONE + " at " + (table.epoch() - 1));
  }

  @Test
  void aNewTableSendsWhatIsUnderWayToTheNewPrimaryAtOnce() {
    install(table);
    submit(put("k"));
    SegmentTable newer = table.withoutMembers(table.epoch() + 1, Set.of(ONE));
    install(newer);
    install(table);
    assertThat(receivers).containsExactly(ONE, TWO);
    assertThat(sent(1).epoch()).isEqualTo(newer.epoch());
    assertThat(sent(1).id().sequence()).isEqualTo(sent(0).id().sequence());
  }

  @Test
  void aTableThatLeavesItsOwnersAloneSendsNothingAgain() {
    install(table);
    submit(put("k"));
    install(table.withMembers(table.epoch() + 1, List.of()));
    assertThat(messages).hasSize(1);
  }

  @Test
  void aGetGoesToAnotherOwnerWhenTheFirstIsSilentButAWriteDoesNot() {
    install(table);
    submit(get("k"));
    submit(put("k"));
    tick(0);
    tick(19);
    assertThat(receivers).hasSize(2);
    tick(1);
    assertThat(receivers).as("the read is hedged").containsExactly(ONE, ONE, TWO);
    tick(479);
    assertThat(receivers).hasSize(3);
    tick(1);
    assertThat(receivers).containsExactly(ONE, ONE, TWO, TWO, ONE);
  }

  @Test
  void aReadThatIsHedgedEndsWithTheFirstAnswer() {
    install(table);
    for (NodeId first : List.of(TWO, ONE)) {
      Ending read = submit(get("k"));
      int at = messages.size() - 1;
      tick(0);
      tick(20);
      assertThat(receivers.subList(at, at + 2)).containsExactly(ONE, TWO);
      assertThat(sent(at + 1).id()).isEqualTo(sent(at).id());
      caller.replied(first, answer(at, Outcome.DONE));
      caller.replied(first.equals(ONE) ? TWO : ONE, answer(at, Outcome.DONE));
      assertThat(read.calls).hasValue(1);
      assertThat(read.reply).isNotNull();
    }
  }

  @Test
  void aSecondOwnerThatDeclinesIsAskedAgainButNotAtOnce() {
    install(table);
    Ending read = submit(get("k"));
    tick(0);
    tick(20);
    caller.replied(TWO, answer(1, Outcome.STALE));
    tick(0);
    tick(19);
    assertThat(receivers).containsExactly(ONE, TWO);
    tick(1);
    assertThat(receivers).containsExactly(ONE, TWO, TWO);
    caller.replied(TWO, answer(2, Outcome.DONE));
    assertThat(read.reply).isNotNull();
  }

  @Test
  void aNodeThatAnswersAfterAllGetsMoreTime() {
    install(table);
    submit(get("k"));
    tick(0);
    tick(20);
    caller.replied(ONE, answer(0, Outcome.DONE));
    submit(get("k"));
    tick(0);
    tick(24);
    assertThat(receivers).containsExactly(ONE, TWO, ONE);
    tick(1);
    assertThat(receivers).containsExactly(ONE, TWO, ONE, TWO);
  }

  @Test
  void refusalsDoNotMakeTheWaitForAnAnswerLonger() {
    install(table);
    submit(put("k"));
    for (int refusals = 0; refusals < 8; refusals++) {
      caller.replied(ONE, answer(refusals, Outcome.STALE));
      tick(0);
      tick(64);
    }
    assertThat(messages).hasSize(9);
    tick(0);
    tick(500);
    assertThat(messages).hasSize(10);
  }

  @Test
  void aLostConnectionSendsAgainSoon() {
    install(table);
    submit(put("k"));
    caller.disconnected(TWO);
    tick(0);
    tick(5);
    assertThat(messages).hasSize(1);
    caller.disconnected(ONE);
    tick(0);
    tick(5);
    assertThat(messages).hasSize(2);
  }

  @Test
  void closingEndsEverything() {
    install(table);
    Ending ending = submit(put("k"));
    caller.close();
    assertThat(ending.failure).isEqualTo(Failure.CLOSED);
    assertThat(submit(put("k")).failure).isEqualTo(Failure.CLOSED);
  }

  @Test
  void anotherClusterEndsWhatIsUnderWay() {
    install(table);
    Ending write = submit(put("k"));
    install(table(3, 2));
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(submit(put("k")).calls).hasValue(0);
  }
}
