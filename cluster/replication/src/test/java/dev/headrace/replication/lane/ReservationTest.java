package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys that a primary reserves for nodes whose computations were overtaken. */
class ReservationTest {
  private static final int HOLDER = 2;
  private static final int OTHER = 1;
  private static final long LEASE_MILLIS = 500;

  private final Stage stage = Stage.written(2, 2);

  private static Request replace(OperationReply seen, String value) {
    return Request.ifVersion(
        Stage.CACHE,
        0,
        Stage.bytes("k"),
        seen.versionTerm(),
        seen.versionCounter(),
        Stage.bytes(value),
        0,
        true);
  }

  private static Request overtaken() {
    return Request.ifVersion(Stage.CACHE, 0, Stage.bytes("k"), 1, 1, Stage.bytes("lost"), 0, true)
        .reserving();
  }

  private static Request put(String value) {
    return Stage.set(Kind.PUT, "k", value);
  }

  /** The key is reserved for a node; returns what it was told. */
  private OperationReply reserved(int node) {
    stage.put("k", "first");
    stage.deliverAll();
    Answer answer = stage.submit(node, overtaken());
    stage.deliverAll();
    assertThat(answer.applied()).isFalse();
    assertThat(answer.value()).isEqualTo("first");
    return answer.reply;
  }

  @Test
  void othersWaitUntilTheHolderHasWritten() {
    OperationReply seen = reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    stage.deliverAll();
    assertThat(other.pending()).isTrue();
    Answer elsewhere = stage.submit(OTHER, Stage.set(Kind.PUT, "another key", "x"));
    stage.deliverAll();
    assertThat(elsewhere.applied()).isTrue();
    Answer mine = stage.submit(HOLDER, replace(seen, "mine"));
    stage.deliverAll();
    assertThat(mine.applied()).isTrue();
    assertThat(other.value()).as("it comes right after").isEqualTo("mine");
    assertThat(stage.stored(1, "k")).isEqualTo("other");
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(stage.node(0).exchange.lanes().unsettled()).isEmpty();
  }

  @Test
  void readersDoNotWait() {
    reserved(HOLDER);
    Answer read = stage.get("k");
    stage.deliverAll();
    assertThat(read.value()).isEqualTo("first");
  }

  @Test
  void thoseThatWaitGetTheKeyInTheirOrder() {
    OperationReply seen = reserved(HOLDER);
    Answer second = stage.submit(OTHER, overtaken());
    stage.deliverAll();
    Answer third = stage.submit(0, overtaken());
    Answer mine = stage.submit(HOLDER, replace(seen, "one"));
    stage.deliverAll();
    assertThat(mine.applied()).isTrue();
    assertThat(second.value()).as("it is its turn").isEqualTo("one");
    assertThat(third.pending()).isTrue();
    Answer again = stage.submit(HOLDER, put("again"));
    stage.deliverAll();
    assertThat(again.pending()).as("it has had its turn").isTrue();
    stage.submit(OTHER, replace(second.reply, "two"));
    stage.deliverAll();
    assertThat(third.value()).isEqualTo("two");
    stage.submit(0, replace(third.reply, "three"));
    stage.deliverAll();
    assertThat(again.value()).isEqualTo("three");
    assertThat(stage.stored(0, "k")).isEqualTo("again");
  }

  @Test
  void theKeyIsFreeAgainWhenTheHolderIsNotHeardOf() {
    reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    stage.deliverAll();
    stage.tick(LEASE_MILLIS - 1);
    stage.deliverAll();
    assertThat(other.pending()).isTrue();
    stage.tick(1);
    stage.deliverAll();
    assertThat(other.applied()).isTrue();
  }

  @Test
  void theKeyIsFreeAgainWhenTheHolderHasGoneOrDoesNotWantIt() {
    reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    stage.deliverAll();
    stage.node(0).exchange.disconnected(stage.id(HOLDER));
    stage.tick(1);
    stage.deliverAll();
    assertThat(other.applied()).isTrue();

    stage.submit(HOLDER, overtaken());
    stage.deliverAll();
    Answer released = stage.submit(OTHER, put("released"));
    stage.deliverAll();
    assertThat(released.pending()).isTrue();
    stage.submit(HOLDER, Request.release(Stage.CACHE, 0, Stage.bytes("k")));
    stage.deliverAll();
    assertThat(released.applied()).isTrue();
    assertThat(stage.stored(0, "k")).isEqualTo("released");
  }

  @Test
  void theKeyIsFreeAgainWhenTheHolderIsExcluded() {
    reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    stage.deliverAll();
    stage.install(Tables.without(stage.table, Tables.node(HOLDER)), 0, 1);
    stage.tick(1);
    stage.deliverAll();
    assertThat(other.applied()).isTrue();
  }

  @Test
  void aNewPrimaryKnowsOfNothingReserved() {
    reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    stage.deliverAll();
    assertThat(other.pending()).isTrue();
    stage.installEverywhere(Tables.rotated(stage.table));
    stage.deliverAll();
    assertThat(other.applied()).isTrue();
    assertThat(stage.stored(0, "k")).isEqualTo("other");
  }

  @Test
  void whatIsSentAgainWaitsOnce() {
    OperationReply seen = reserved(HOLDER);
    Answer other = stage.submit(OTHER, put("other"));
    List<Envelope> sent = List.copyOf(stage.sent);
    assertThat(sent).hasSize(1);
    sent.forEach(stage::hand);
    stage.deliverAll();
    Answer mine = stage.submit(HOLDER, replace(seen, "mine"));
    stage.deliverAll();
    assertThat(mine.applied()).isTrue();
    assertThat(other.value()).isEqualTo("mine");
    Answer last = stage.submit(HOLDER, put("last"));
    stage.deliverAll();
    assertThat(last.value()).isEqualTo("other");
    sent.forEach(stage::hand);
    stage.deliverAll();
    assertThat(stage.stored(0, "k")).isEqualTo("last");
  }

  @Test
  void whatHasNoRoomIsToldSo() {
    reserved(HOLDER);
    for (int i = 0; i < 6; i++) { // of which four may wait
      stage.submit(OTHER, put("v" + i));
    }
    stage.deliver(Stage.carrying(Operation.class));
    assertThat(stage.take(Stage.carrying(OperationReply.class)))
        .hasSize(2)
        .allMatch(sent -> ((OperationReply) sent.message()).outcome() == Outcome.STALE);
  }
}
