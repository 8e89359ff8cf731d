package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeAnswer.Status;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeReadsTest {
  private static final int WAIT_MILLIS = 1_000;

  private final Stage stage = new Stage(3, 2, settings -> settings.withChanges(1 << 20, false));
  private final List<ChangeAnswer> answers = new ArrayList<>();
  private int questions;

  private void write() {
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("ACME", "41");
    stage.deliverAll();
    stage.deliverAll();
  }

  private static ChangeQuery.Part changes(long next, long limit) {
    return new ChangeQuery.Part(0, 0, next, limit, -1, null);
  }

  private static ChangeQuery.Part content() {
    return new ChangeQuery.Part(0, 0, 0, ChangeQuery.NO_LIMIT, -1, Cursor.START);
  }

  /** Asks a node from itself, and tells what has been answered so far. */
  private List<ChangeAnswer> ask(int index, ChangeQuery.Part part) {
    return ask(index, 0, part);
  }

  private List<ChangeAnswer> ask(int index, int format, ChangeQuery.Part part) {
    LaneNode node = stage.node(index);
    node.exchange.onChanges(reply -> answers.add(reply.answer()));
    node.exchange.ask(
        node.id,
        new ChangesRead(
            ++questions,
            new ChangeQuery(Stage.CACHE, format, 1, false, 1 << 16, WAIT_MILLIS, List.of(part))));
    return answers;
  }

  private ChangeAnswer.Part last() {
    List<ChangeAnswer.Part> parts = answers.get(answers.size() - 1).parts();
    assertThat(parts).hasSize(1);
    return parts.get(0);
  }

  @Test
  void aMutationThatDiedWithItsPrimaryIsToldToBeUndoneAlthoughNothingIsWrittenAnyMore() {
    write();
    stage.submit(0, Stage.set(Kind.PUT, "ACME", "42")); // reaches no backup
    assertThat(ask(0, content())).hasSize(1);
    ChangeAnswer.Part seen = last();
    assertThat(seen.status()).isEqualTo(Status.CONTENT_END);
    assertThat(seen.stable()).isFalse();
    stage.crash(0);
    ask(1, changes(seen.next() - 1, seen.next() - 1));
    assertThat(answers).hasSize(1);

    stage.install(Tables.without(stage.table, Tables.node(0)), 1, 2, 3);
    stage.deliverAll();
    stage.tickUntilResent();
    stage.deliverAll();

    assertThat(answers).as("told when the new primary serves").hasSize(2);
    assertThat(last().status()).isEqualTo(Status.UNDONE);
    assertThat(last().next()).isEqualTo(seen.next() - 1);
    ask(1, content());
    assertThat(last().status()).isEqualTo(Status.CONTENT_END);
    assertThat(last().next()).isEqualTo(seen.next() - 1);
    assertThat(last().stable()).isTrue();
  }

  @Test
  void aQuestionWaitsUntilItsSegmentAdvances() {
    write();
    ask(0, changes(2, ChangeQuery.NO_LIMIT));
    assertThat(answers).isEmpty();
    stage.put("ACME", "43");
    stage.deliverAll();
    assertThat(last().status()).isEqualTo(Status.CHANGES);
    assertThat(last().next()).isEqualTo(3);
  }

  @Test
  void aQuestionThatWaitedLongEnoughIsAnsweredWithNothing() {
    write();
    ask(0, changes(2, ChangeQuery.NO_LIMIT));
    stage.tick(WAIT_MILLIS - 1);
    assertThat(answers).isEmpty();
    stage.tick(2);
    assertThat(answers).containsExactly(ChangeAnswer.NOTHING);
    stage.put("ACME", "43");
    stage.deliverAll();
    assertThat(answers).hasSize(1);
  }

  @Test
  void whoHasNoLeaseRefusesNoFormat() {
    stage.installEverywhere(Tables.written(stage.table));
    stage.submit(Stage.set(Kind.PUT, 7, "ACME", "41"));
    stage.deliverAll();
    ask(0, 8, content());
    assertThat(last().status()).isEqualTo(Status.WRONG_FORMAT);
    stage.node(0).lease = () -> false;
    ask(0, 8, content());
    assertThat(last().status()).isEqualTo(Status.NOT_HELD);
  }
}
