package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A caller that is excluded and admitted again under the same identity (P9). */
class ReturningCallerTest {
  private static final int CALLER = 2;

  private static SegmentTable excluded(Stage stage) {
    return Tables.without(stage.table, Tables.node(CALLER));
  }

  private static SegmentTable admitted(SegmentTable without) {
    Member member = new Member(Tables.node(CALLER), "node2", "localhost", 1002, "", 0);
    return without.apply(without.edit(Tables.next(without)).addMember(member).delta());
  }

  /** The owners have carried it out, and the answer is lost. */
  private static Answer carriedOut(Stage stage) {
    Answer answer = stage.submit(Stage.set(Kind.PUT_IF_ABSENT, "k", "v"));
    stage.deliver(Stage.carrying(OperationReply.class).negate());
    assertThat(stage.take(Stage.carrying(OperationReply.class))).hasSize(1);
    assertThat(stage.stored(0, "k")).isEqualTo("v");
    return answer;
  }

  @Test
  void isToldThatTheOutcomeIsUnknown() {
    Stage stage = Stage.written(2, 2);
    Answer answer = carriedOut(stage);
    SegmentTable without = excluded(stage);
    SegmentTable again = admitted(without);
    stage.install(without, 0, 1); // the caller does not hear of it
    stage.deliverAll();
    stage.install(again, 0, 1, CALLER);
    stage.tickUntilResent();
    stage.deliverAll();
    assertThat(answer.failure).as("not that there was something before").isEqualTo(Failure.UNKNOWN);
    assertThat(answer.message).contains("admitted again");
    Answer next = stage.put("k", "w");
    stage.deliverAll();
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  void isToldSoAsSoonAsItKnowsThatItWasExcluded() {
    Stage stage = Stage.written(2, 2);
    Answer answer = carriedOut(stage);
    stage.install(excluded(stage), 0, 1, CALLER);
    assertThat(answer.failure).isEqualTo(Failure.UNKNOWN);
    Answer waiting = stage.put("k", "w");
    stage.deliverAll();
    assertThat(waiting.pending()).isTrue();
    stage.install(admitted(stage.table), 0, 1, CALLER);
    stage.deliverAll();
    assertThat(waiting.applied()).as("nobody can have carried it out before").isTrue();
  }

  @Test
  void isNotServedTwiceByABackupThatHearsOfItsReturnAfterItsWrite() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "v");
    stage.deliverAll();
    SegmentTable without = excluded(stage);
    SegmentTable again = admitted(without);
    stage.install(without, 0, CALLER);
    stage.install(again, 0, CALLER);
    Answer remove = stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k"), true));
    stage.deliver(
        Stage.carrying(OperationReply.class).or(Stage.carrying(TableNotice.class)).negate());
    stage.take(envelope -> true);
    assertThat(stage.stored(1, "k")).as("the backup has it").isNull();
    stage.install(without, 1);
    stage.tick(1);
    assertThat(stage.node(1).exchange.lanes().resultBytes())
        .as("the result by which the backup knows a repetition")
        .isPositive();
    stage.install(again, 1);
    stage.crash(0);
    stage.install(Tables.without(again, Tables.node(0)), 1, CALLER);
    stage.tickUntilResent();
    stage.deliverAll();
    assertThat(remove.value()).as("what the first attempt found").isEqualTo("v");
  }

  @Test
  void isNotServedTwiceWhateverWasOnItsWay() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "1");
    List<Envelope> late = List.copyOf(stage.sent);
    stage.deliverAll();
    Answer second = stage.put("k", "2");
    stage.deliverAll();
    assertThat(second.value()).isEqualTo("1");
    SegmentTable without = excluded(stage);
    stage.install(without, 0, 1);
    stage.deliverAll();
    stage.install(admitted(without), 0, 1, CALLER);
    stage.deliverAll();
    assertThat(late).hasSize(1).allMatch(Stage.carrying(Operation.class));
    late.forEach(stage::hand);
    assertThat(stage.stored(0, "k")).isEqualTo("2");
    assertThat(stage.take(Stage.carrying(OperationReply.class)))
        .extracting(sent -> ((OperationReply) sent.message()).outcome())
        .containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void goesOnWithWhatNobodyCanHaveCarriedOut() {
    Stage stage = Stage.written(2, 2);
    SegmentTable without = excluded(stage);
    stage.install(without, 0, 1);
    Answer answer = stage.put("k", "v");
    stage.deliverAll(); // it is refused
    assertThat(answer.pending()).isTrue();
    stage.install(admitted(without), 0, 1, CALLER);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }
}
