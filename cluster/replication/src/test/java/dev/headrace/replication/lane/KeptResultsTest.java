package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.ResultsReceived;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How long owners keep what they answered, with values that callers wanted to see. */
class KeptResultsTest {
  private static final int SEGMENTS = 16;
  private static final int KEYS = 200;
  private static final String VALUE = "v".repeat(900);

  private static Stage stage() {
    Stage stage = new Stage(2, SEGMENTS, 2, settings -> settings);
    stage.installEverywhere(Tables.written(stage.table));
    stage.deliverAll();
    stage.tick(1); // from here on time is measured
    return stage;
  }

  private static Request remove(int key) {
    return Request.remove(Stage.CACHE, 0, Stage.bytes("k" + key), true);
  }

  private static void putAndRemove(Stage stage) {
    for (int i = 0; i < KEYS; i++) {
      stage.put("k" + i, VALUE);
      stage.deliverAll();
    }
    for (int i = 0; i < KEYS; i++) {
      Answer answer = stage.submit(remove(i));
      stage.deliverAll();
      assertThat(answer.value()).hasSize(VALUE.length());
    }
  }

  private static long bytes(Stage stage, int node) {
    return stage.node(node).exchange.lanes().resultBytes();
  }

  @Test
  void whenTheyAreTooManyTheOldestAreUnknownAndAreNotCarriedOutAgain() {
    long bound = 10_000;
    Stage stage = new Stage(2, 1, 2, settings -> settings.withMaxResultBytes(bound));
    stage.installEverywhere(Tables.written(stage.table));
    stage.deliverAll();
    stage.tick(1);
    Answer oldest = stage.submit(Stage.set(Kind.PUT_IF_ABSENT, "once", VALUE));
    stage.deliver(Stage.carrying(OperationReply.class).negate());
    stage.take(Stage.carrying(OperationReply.class));
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("once"), true));
    putAndRemove(stage);
    assertThat(bytes(stage, 0)).isLessThanOrEqualTo(bound);
    assertThat(bytes(stage, 1)).isLessThanOrEqualTo(bound);
    stage.tick(1);
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(oldest.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(stage.stored(0, "once")).isNull();
    assertThat(stage.stored(1, "once")).isNull();
  }

  @Test
  void aNewPrimaryDoesNotCarryOutAgainEitherWhatTheyHaveForgotten() {
    Stage stage = new Stage(2, 1, 2, settings -> settings.withMaxResultBytes(10_000));
    stage.installEverywhere(Tables.written(stage.table));
    stage.deliverAll();
    stage.tick(1);
    Answer oldest = stage.submit(Stage.set(Kind.PUT_IF_ABSENT, "once", VALUE));
    stage.deliver(Stage.carrying(OperationReply.class).negate());
    stage.take(Stage.carrying(OperationReply.class));
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("once"), true));
    putAndRemove(stage);
    stage.installEverywhere(Tables.rotated(stage.table));
    stage.deliverAll();
    assertThat(oldest.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(stage.stored(0, "once")).isNull();
    assertThat(stage.stored(1, "once")).isNull();
  }

  @Test
  void theyForgetWhatTheCallerSaysThatItHas() {
    Stage stage = stage();
    putAndRemove(stage);
    assertThat(bytes(stage, 0)).as("one value by segment at least").isGreaterThan(900 * SEGMENTS);
    assertThat(bytes(stage, 1)).isGreaterThan(900 * SEGMENTS);
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(bytes(stage, 0)).isZero();
    assertThat(bytes(stage, 1)).isZero();
    stage.tick(1_000);
    assertThat(stage.take(Stage.carrying(ResultsReceived.class))).as("nothing is new").isEmpty();
  }

  @Test
  void theyKeepWhatTheCallerStillWaitsFor() {
    Stage stage = stage();
    stage.put("k0", VALUE);
    stage.deliverAll();
    Answer answer = stage.submit(remove(0));
    stage.deliver(Stage.carrying(OperationReply.class).negate());
    stage.take(Stage.carrying(OperationReply.class));
    stage.tick(1);
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(answer.value()).as("sent again, answered from what is kept").hasSize(900);
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isZero();
  }

  @Test
  void newOwnersAreToldToo() {
    Stage stage = stage();
    putAndRemove(stage);
    stage.tick(1_000);
    stage.take(Stage.carrying(ResultsReceived.class)); // they are lost
    assertThat(bytes(stage, 0)).isGreaterThan(0);
    SegmentTable rotated = Tables.rotated(stage.table);
    stage.installEverywhere(rotated);
    stage.deliverAll();
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isZero();
  }

  @Test
  void whatComesToAnOwnerAfterItWasToldIsForgottenToo() {
    Stage stage = stage();
    stage.put("k0", VALUE);
    stage.deliverAll();
    Answer answer = stage.submit(remove(0));
    stage.deliver(Stage.carrying(ResultsReceived.class).negate());
    assertThat(answer.value()).hasSize(900);
    stage.tick(1_000);
    stage.take(Stage.carrying(ResultsReceived.class)); // as if the result came after it
    assertThat(bytes(stage, 0)).isPositive();
    for (int seconds = 0; seconds < 60; seconds++) {
      stage.tick(1_000);
      stage.deliverAll();
    }
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isZero();
    for (int seconds = 0; seconds < 60; seconds++) {
      stage.tick(1_000);
    }
    assertThat(stage.take(Stage.carrying(ResultsReceived.class))).as("an end to it").isEmpty();
  }

  @Test
  void theyForgetCallersWhoseResultsComeWhenTheyHaveLeft() {
    Stage stage = stage();
    stage.put("k0", VALUE);
    stage.deliverAll();
    stage.submit(remove(0));
    stage.deliver(
        Stage.carrying(Replicate.class).or(Stage.carrying(ResultsReceived.class)).negate());
    SegmentTable without =
        stage.table.withoutMembers(Tables.next(stage.table), Set.of(Tables.node(2)));
    stage.install(without, 0, 1);
    stage.tick(1);
    stage.deliverAll();
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isPositive();
    for (int minutes = 0; minutes < 3; minutes++) {
      stage.tick(60_000);
      stage.take(envelope -> true);
    }
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isZero();
  }

  @Test
  void theyForgetCallersThatLeaveWhereNothingElseHappens() {
    Stage stage = stage();
    putAndRemove(stage);
    SegmentTable without =
        stage.table.withoutMembers(Tables.next(stage.table), Set.of(Tables.node(2)));
    stage.install(without, 0, 1);
    stage.tick(1);
    assertThat(bytes(stage, 0) + bytes(stage, 1)).isZero();
  }
}
