package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Outboxes, epochs and acknowledgement: P4, P5, P7 and P8. */
class ReplicationTest {

  @Test
  void aWriteIsAcknowledgedOnlyWhenEveryOwnerHasAppliedIt() {
    Stage stage = Stage.written(3, 3);
    warm(stage);
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.to(0));
    assertThat(stage.take(carrying(OperationReply.class))).isEmpty();
    stage.deliver(stage.between(0, 1));
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    assertThat(stage.take(carrying(OperationReply.class))).isEmpty();
    stage.deliver(stage.between(0, 2));
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void aSilentBackupHoldsTheAnswerBackUntilATableIsWithoutIt() {
    Stage stage = Stage.written(3, 3);
    warm(stage);
    Answer answer = stage.put("k", "v");
    stage.deliver(envelope -> !stage.to(2).test(envelope));
    stage.crash(2);
    stage.node(0).exchange.disconnected(Tables.node(2));
    stage.tickUntilResent();
    stage.take(stage.between(0, 2));
    stage.take(envelope -> envelope.to().equals(Tables.node(2)));
    stage.deliverAll();
    assertThat(answer.pending()).as("a lost connection proves nothing").isTrue();
    stage.install(Tables.without(stage.table, Tables.node(2)), 0, 1, 3);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void aSingleOwnerAcknowledgesAtOnce() {
    Stage stage = Stage.written(1, 2);
    Answer answer = stage.put("k", "v");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void mutationsThatOvertookEachOtherAreAppliedInOrder() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    Answer first = stage.put("k", "1");
    Answer second = stage.put("k", "2");
    Answer third = stage.put("k", "3");
    stage.deliver(stage.to(0));
    List<Envelope> replicates = new ArrayList<>(stage.take(carrying(Replicate.class)));
    assertThat(replicates).hasSize(3);
    Collections.reverse(replicates);
    stage.hand(replicates.get(0));
    assertThat(stage.stored(1, "k")).isNull();
    stage.hand(replicates.get(1));
    stage.hand(replicates.get(2));
    assertThat(stage.stored(1, "k")).isEqualTo("3");
    assertThat(stage.take(carrying(Replicated.class)))
        .as("one confirmation for all three")
        .singleElement()
        .satisfies(
            envelope -> {
              assertThat(((Replicated) envelope.message()).missing()).isFalse();
              stage.hand(envelope);
            });
    stage.deliverAll();
    assertThat(List.of(first, second, third)).allMatch(Answer::applied);
  }

  @Test
  void aMutationThatArrivesTwiceIsConfirmedAgainButAppliedOnce() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    stage.put("k", "1");
    stage.deliver(stage.to(0));
    Envelope first = stage.take(carrying(Replicate.class)).get(0);
    stage.hand(first);
    stage.put("k", "2");
    stage.deliver(stage.to(0));
    stage.deliver(carrying(Replicate.class));
    stage.take(carrying(Replicated.class));
    stage.hand(first);
    assertThat(stage.stored(1, "k")).isEqualTo("2");
    assertThat(stage.take(carrying(Replicated.class)))
        .singleElement()
        .extracting(envelope -> ((Replicated) envelope.message()).sequence())
        .isEqualTo(3L);
  }

  @Test
  void aLostMutationIsSentAgain() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.to(0));
    stage.take(carrying(Replicate.class));
    stage.tick(1);
    stage.deliverAll();
    assertThat(answer.pending()).isTrue();
    stage.tickUntilResent();
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void aBackupAsksForWhatIsMissing() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    stage.put("k", "1");
    stage.deliver(stage.to(0));
    stage.take(carrying(Replicate.class));
    stage.put("k", "2");
    stage.deliver(stage.to(0));
    stage.deliver(carrying(Replicate.class));
    stage.node(1).exchange.tick((stage.nowMillis + Stage.RESEND_MILLIS / 2) * Stage.MILLIS);
    Envelope question = stage.take(carrying(Replicated.class)).get(0);
    assertThat(((Replicated) question.message()).missing()).isTrue();
    stage.hand(question);
    stage.deliverAll();
    assertThat(stage.stored(1, "k")).isEqualTo("2");
  }

  @Test
  void aFullOutboxRefusesWritesUntilBackupsHaveConfirmed() {
    Stage stage =
        new Stage(
            2,
            2,
            settings ->
                new LaneSettings(settings.self(), 1, 2, 1 << 20, 4, Stage.RESEND_MILLIS, 1));
    stage.installEverywhere(Tables.written(stage.table));
    warm(stage);
    stage.put("a", "1");
    stage.put("b", "2");
    Answer third = stage.put("c", "3");
    stage.deliver(stage.to(0));
    assertThat(stage.take(carrying(OperationReply.class)))
        .singleElement()
        .satisfies(
            envelope -> {
              assertThat(((OperationReply) envelope.message()).outcome())
                  .isEqualTo(OperationReply.Outcome.STALE);
              stage.hand(envelope);
            });
    assertThat(stage.stored(0, "c")).isNull();
    stage.deliverAll();
    stage.tick(1);
    stage.tick(100);
    stage.deliverAll();
    assertThat(third.applied()).isTrue();
  }

  @Test
  void aBackupThatIsBehindRefusesAWriteOfOwnersItDoesNotKnowAndGetsTheTable() {
    Stage stage = Stage.written(3, 3);
    warm(stage);
    stage.install(Tables.without(stage.table, Tables.node(2)), 0, 3);
    stage.crash(2);
    Answer answer = stage.put("k", "v");
    stage.deliver(
        envelope ->
            stage.to(0).test(envelope)
                || (stage.to(1).test(envelope) && !carrying(TableNotice.class).test(envelope)));
    assertThat(stage.stored(1, "k")).isNull();
    Envelope notice = stage.take(carrying(TableNotice.class)).get(0);
    assertThat(notice.to()).isEqualTo(stage.id(1));
    stage.install(((TableNotice) notice.message()).image(), 1);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void aWriteOfFormerOwnersIsRefusedAndItsSenderGetsTheTable() {
    Stage stage = Stage.written(3, 3);
    warm(stage);
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.to(0));
    // The primary is shut out and does not know it yet.
    stage.install(Tables.without(stage.table, Tables.node(0)), 1, 2);
    stage.deliver(stage.between(0, 1));
    assertThat(stage.stored(1, "k")).isNull();
    assertThat(stage.node(0).notices).contains(stage.table);
    assertThat(answer.pending()).isTrue();
  }

  @Test
  void aChangeOfOtherSegmentsRejectsNothing() {
    var before = Tables.written(Tables.unwritten(3, 1, 3, 1));
    Stage stage = new Stage(3, 1, settings -> settings);
    stage.nodes.forEach(node -> node.exchange.tableChanged(before));
    // Segment 2 loses its owner; the caller does not know, and writes to segment 0.
    stage.install(Tables.without(before, Tables.node(2)), 0, 1);
    String key = keyIn(stage, 0);
    Answer answer = stage.put(key, "v");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.node(3).notices).isEmpty();
  }

  private static String keyIn(Stage stage, int segment) {
    var space = stage.node(0).exchange.lanes().store(Stage.CACHE).space();
    for (int i = 0; ; i++) {
      if (space.segment(space.hash(Stage.bytes("k" + i))) == segment) {
        return "k" + i;
      }
    }
  }

  @Test
  void aPrimaryAtRestLetsItsBackupsForget() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    stage.put("k", "v");
    stage.deliverAll();
    stage.tick(100);
    assertThat(stage.take(carrying(Settled.class))).as("not at once").isEmpty();
    stage.tick(2_000);
    stage.deliver(carrying(Settled.class));
    stage.installEverywhere(Tables.rotated(stage.table));
    stage.deliver(envelope -> !carrying(History.class).test(envelope));
    assertThat(stage.take(carrying(History.class)))
        .allSatisfy(envelope -> assertThat(((History) envelope.message()).mutations()).isEmpty());
  }

  @Test
  void aBackupWithAGapThatNothingCanFillStopsServing() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    stage.put("k", "v");
    stage.deliver(stage.to(0));
    Envelope envelope = stage.take(carrying(Replicate.class)).get(0);
    Replicate sound = (Replicate) envelope.message();
    Mutation later =
        new Mutation(
            sound.segmentEpoch(),
            9,
            sound.mutation().id(),
            Mutation.Change.NONE,
            Stage.bytes("k"),
            null,
            0,
            false,
            null,
            0,
            0,
            0);
    stage.hand(
        new Envelope(
            envelope.from(),
            envelope.to(),
            new Replicate(sound.cache(), 0, 0, sound.epoch(), sound.segmentEpoch(), 8, later)));
    assertThat(stage.node(1).damages).singleElement().asString().contains("8").contains("1");
    stage.submit(1, Request.get(Stage.CACHE, 0, Stage.bytes("k"), true));
    assertThat(stage.sent).filteredOn(stage.between(1, 0)).isEmpty();
    assertThat(stage.node(1).exchange.lanes().store(Stage.CACHE).replica(0).state().readable())
        .isFalse();
  }

  @Test
  void aChangeByVersionBringsTheValueOnlyIfTheVersionIsAnother() {
    Stage stage = Stage.written(2, 2);
    Answer read = stage.put("k", "1");
    stage.deliverAll();
    long term = read.reply.versionTerm();
    long counter = read.reply.versionCounter();
    byte[] key = Stage.bytes("k");
    Answer first =
        stage.submit(
            Request.ifVersion(Stage.CACHE, 0, key, term, counter, Stage.bytes("2"), 0, true));
    Answer second =
        stage.submit(
            Request.ifVersion(Stage.CACHE, 0, key, term, counter, Stage.bytes("3"), 0, true));
    stage.deliverAll();
    assertThat(first.applied()).isTrue();
    assertThat(first.value()).isNull();
    assertThat(second.applied()).isFalse();
    assertThat(second.value()).isEqualTo("2");
    assertThat(second.reply.versionCounter()).isEqualTo(first.reply.versionCounter());
  }

  @Test
  void everyChangeReachesTheBackupsByteForByte() {
    Stage stage = Stage.written(3, 3);
    List<Request> requests =
        List.of(
            Stage.set(Kind.PUT, "a", "1"),
            Stage.set(Kind.PUT_IF_ABSENT, "a", "2"),
            Stage.set(Kind.PUT_IF_ABSENT, "b", "3"),
            Stage.set(Kind.REPLACE, "c", "4"),
            Stage.set(Kind.REPLACE, "a", "5"),
            Request.ifEqual(
                Stage.CACHE, 0, Stage.bytes("a"), Stage.bytes("5"), Stage.bytes("6"), 0),
            Request.remove(Stage.CACHE, 0, Stage.bytes("b"), true),
            Stage.set(Kind.PUT, "d", "7"));
    List<Boolean> applied = new ArrayList<>();
    for (Request request : requests) {
      Answer answer = stage.submit(request);
      stage.deliverAll();
      applied.add(answer.applied());
    }
    assertThat(applied).containsExactly(true, false, true, false, true, true, true, true);
    byte[] content = stage.node(0).content(Stage.CACHE, 0);
    assertThat(stage.node(1).content(Stage.CACHE, 0)).isEqualTo(content);
    assertThat(stage.node(2).content(Stage.CACHE, 0)).isEqualTo(content);
    Answer cleared = stage.submit(Request.clear(Stage.CACHE, 0, 0));
    stage.deliverAll();
    assertThat(cleared.reply.number()).isEqualTo(2);
    assertThat(stage.node(2).content(Stage.CACHE, 0)).isEmpty();
  }

  /** The primary serves, so that a test sees the messages of its own writes only. */
  private static void warm(Stage stage) {
    Answer answer = stage.put("warm", "up");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  /** A backup that is slow, or a network, must not get the same mutation ever again meanwhile. */
  @Test
  void whatIsOnItsWayForLongIsSentAgainEverLater() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    stage.put("k", "v");
    stage.deliver(stage.to(0));
    List<Envelope> sent = stage.takeFor(3000, carrying(Replicate.class));
    assertThat(sent).as("within 3 s, with a patience of 200 ms at first").hasSize(5);
    stage.hand(sent.get(0));
    stage.deliverAll();
    stage.put("k", "w");
    stage.deliver(stage.to(0));
    stage.take(carrying(Replicate.class));
    stage.tickUntilResent();
    assertThat(stage.take(carrying(Replicate.class))).as("soon, after progress").hasSize(1);
  }

  @Test
  void whatALostConnectionTookAlongIsSentAgainSoonHoweverLargeItIs() {
    Stage stage = new Stage(2, 2, settings -> settings.withBounds(64, 64 << 20, 4));
    stage.installEverywhere(Tables.written(stage.table));
    warm(stage);
    for (int i = 0; i < 60; i++) {
      stage.put("k" + i, "v".repeat(900));
    }
    stage.deliver(stage.to(0));
    assertThat(stage.take(carrying(Replicate.class))).hasSize(60);
    stage.node(0).exchange.disconnected(Tables.node(1));
    stage.tickUntilResent();
    assertThat(stage.take(carrying(Replicate.class))).hasSize(60);
  }

  @Test
  void whatIsSaidToBeMissingMayStillBeOnItsWay() {
    Stage stage = Stage.written(2, 2);
    warm(stage);
    for (int i = 0; i < 60; i++) {
      stage.put("k" + i, "v".repeat(900));
    }
    stage.deliver(stage.to(0));
    Envelope first = stage.take(carrying(Replicate.class)).get(0);
    Replicated missing =
        new Replicated(
            Stage.CACHE,
            0,
            stage.table.epoch(),
            stage.table.segmentEpoch(0),
            ((Replicate) first.message()).mutation().sequence() - 1,
            true,
            true);
    stage.node(0).exchange.received(stage.id(1), missing);
    assertThat(stage.take(carrying(Replicate.class))).isEmpty();
    stage.tick(10);
    stage.node(0).exchange.received(stage.id(1), missing);
    assertThat(stage.take(carrying(Replicate.class))).as("60 kB need 6 ms").hasSize(60);
  }
}
