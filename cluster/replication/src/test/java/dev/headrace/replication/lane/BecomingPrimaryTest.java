package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What a new primary does before it serves, and what callers see of it: P6 and P9. */
class BecomingPrimaryTest {

  @Test
  void aNewPrimaryTakesTheTailFromTheOwnerWithTheLongestHistory() {
    Stage stage = warm(Stage.written(3, 3));
    Answer first = stage.put("k", "1");
    Answer second = stage.put("k", "2");
    // The primary dies when only its second backup has applied both.
    stage.deliver(envelope -> stage.to(0).test(envelope) || stage.to(2).test(envelope));
    loseNode(stage, 0);
    stage.deliverAll();
    assertThat(List.of(first, second)).allMatch(Answer::applied);
    assertThat(second.value()).isEqualTo("1");
    assertThat(stage.stored(1, "k")).isEqualTo("2");
    assertThat(stage.stored(2, "k")).isEqualTo("2");
    Answer third = stage.put("k", "3");
    stage.deliverAll();
    assertThat(third.value()).isEqualTo("2");
    assertThat(third.reply.versionCounter()).isEqualTo(second.reply.versionCounter() + 1);
    assertThat(third.reply.versionTerm()).isGreaterThan(second.reply.versionTerm());
    assertThat(stage.node(2).content(Stage.CACHE, 0))
        .isEqualTo(stage.node(1).content(Stage.CACHE, 0));
  }

  @Test
  void aNewPrimaryBringsTheOthersLevelBeforeItServes() {
    Stage stage = warm(Stage.written(3, 3));
    stage.put("k", "1");
    stage.deliver(envelope -> stage.to(0).test(envelope) || stage.to(1).test(envelope));
    loseNode(stage, 0);
    Answer later = stage.put("k", "2");
    stage.deliver(envelope -> !carrying(Replicate.class).test(envelope));
    assertThat(stage.stored(1, "k")).as("the second write waits").isEqualTo("1");
    assertThat(later.pending()).isTrue();
    stage.deliverAll();
    assertThat(later.applied()).isTrue();
    assertThat(stage.stored(2, "k")).isEqualTo("2");
  }

  @Test
  void aNewPrimaryWaitsForASilentOwnerUntilATableIsWithoutIt() {
    Stage stage = warm(Stage.written(3, 3));
    loseNode(stage, 0);
    stage.take(stage.between(1, 2));
    Answer answer = stage.put("k", "v");
    for (int i = 0; i < 5; i++) {
      stage.deliver(envelope -> !stage.to(2).test(envelope));
      stage.tickUntilResent();
    }
    assertThat(answer.pending()).isTrue();
    assertThat(stage.take(carrying(HistoryRequest.class)))
        .as("it goes on asking")
        .hasSizeGreaterThan(1);
    loseNode(stage, 2);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  /** An answer may be large: another question behind it would only hold it up. */
  @Test
  void aNewPrimaryWhoseAnswerTakesLongAsksAgainEverLater() {
    Stage stage = warm(Stage.written(3, 3));
    loseNode(stage, 0);
    Answer answer = stage.put("k", "v");
    List<Envelope> questions = stage.takeFor(3000, carrying(HistoryRequest.class));
    assertThat(questions).as("within 3 s, with a patience of 200 ms at first").hasSize(5);
    stage.hand(questions.get(0));
    stage.deliverAll();
    assertThat(answer.applied()).as("by the answer to the first").isTrue();
  }

  @Test
  void aQuestionThatComesBeforeItsTableIsAnsweredWhenTheTableIsThere() {
    Stage stage = Stage.written(3, 3);
    SegmentTable newer = Tables.rotated(stage.table);
    stage.install(newer, 1, 3);
    Answer answer = stage.put("k", "v");
    stage.deliver(envelope -> !carrying(TableNotice.class).test(envelope));
    assertThat(answer.pending()).isTrue();
    stage.take(carrying(TableNotice.class));
    stage.install(newer, 0, 2);
    stage.deliverAll();
    assertThat(answer.applied()).as("without any wait").isTrue();
  }

  @Test
  void anOperationThatComesBeforeItsTableIsCarriedOutWhenTheTableIsThere() {
    Stage stage = warm(Stage.written(3, 3));
    SegmentTable newer = Tables.rotated(stage.table);
    stage.install(newer, 3);
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.to(1));
    assertThat(stage.take(carrying(OperationReply.class))).as("no refusal").isEmpty();
    assertThat(stage.take(carrying(TableNotice.class)))
        .as("the node asks for the table")
        .singleElement()
        .satisfies(notice -> assertThat(notice.to()).isEqualTo(stage.id(3)));
    stage.install(newer, 0, 1, 2);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void anOperationWhoseTableDoesNotComeIsRefusedInTheEnd() {
    Stage stage = warm(Stage.written(3, 3));
    stage.install(Tables.rotated(stage.table), 3);
    stage.put("k", "v");
    stage.deliver(stage.to(1));
    stage.take(carrying(TableNotice.class));
    stage.tickUntilResent();
    stage.tick(Stage.RESEND_MILLIS);
    assertThat(stage.take(carrying(OperationReply.class)))
        .singleElement()
        .satisfies(
            reply ->
                assertThat(((OperationReply) reply.message()).outcome())
                    .isEqualTo(OperationReply.Outcome.STALE));
  }

  @Test
  void operationsWaitForANewPrimaryUpToABound() {
    Stage stage = warm(Stage.written(3, 3));
    loseNode(stage, 0);
    stage.take(stage.between(1, 2));
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      answers.add(stage.put("k" + i, "v"));
    }
    stage.deliver(stage.to(1));
    assertThat(stage.take(carrying(OperationReply.class)))
        .as("four wait, two are refused")
        .hasSize(2)
        .allSatisfy(
            envelope ->
                assertThat(((OperationReply) envelope.message()).outcome())
                    .isEqualTo(OperationReply.Outcome.STALE));
    stage.tickUntilResent();
    stage.deliverAll();
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(answers).allMatch(Answer::applied);
  }

  @Test
  void aBackupThatHasToldItsHistoryTakesNothingMoreFromTheFormerPrimary() {
    Stage stage = warm(Stage.written(3, 3));
    stage.put("k", "late");
    stage.deliver(stage.to(0));
    List<Envelope> late = stage.take(carrying(Replicate.class));
    SegmentTable newer = Tables.without(stage.table, Tables.node(0));
    stage.install(newer, 1, 2);
    stage.deliver(stage.between(1, 2));
    late.forEach(stage::hand);
    stage.deliver(stage.between(1, 2));
    assertThat(stage.stored(1, "k")).isNull();
    assertThat(stage.stored(2, "k")).isNull();
    assertThat(stage.node(0).exchange.lanes().table()).isNotEqualTo(newer);
  }

  @Test
  void aFormerPrimaryThatIsBackupNowHandsOnWhatNobodyElseHas() {
    Stage stage = warm(Stage.written(3, 3));
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.to(0));
    stage.take(carrying(Replicate.class));
    stage.installEverywhere(Tables.rotated(stage.table));
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void aNewPrimaryTakesOverWithoutBeingAsked() {
    Stage stage = warm(Stage.written(3, 3));
    stage.put("k", "v");
    stage.deliver(envelope -> stage.to(0).test(envelope) || stage.to(2).test(envelope));
    loseNode(stage, 3);
    loseNode(stage, 0);
    stage.deliverAll();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  /**
   * If the other cache turned out to be lost, the segment would begin anew, with all its caches.
   */
  @Test
  void aNewPrimaryServesNoCacheBeforeItKnowsWhatTheOthersHold() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "1");
    stage.submit(Request.set(Kind.PUT, "other", 0, Stage.bytes("k"), Stage.bytes("1"), 0, false));
    stage.deliverAll();
    stage.installEverywhere(
        Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(1), Tables.node(0)))));
    stage.tick(1);
    Predicate<Stage.Envelope> ofTheOther =
        envelope ->
            envelope.message() instanceof History history && history.cache().equals("other");
    stage.deliver(ofTheOther.negate());
    Answer answer = stage.put("k", "2");
    stage.deliver(ofTheOther.negate());
    assertThat(answer.pending()).isTrue();
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void aRepetitionIsAnsweredAlikeByThePromotedBackup() {
    Stage stage = warm(Stage.written(2, 2));
    Answer answer = stage.submit(Stage.set(Kind.PUT_IF_ABSENT, "k", "v"));
    // Applied everywhere, but the primary dies before it hears of it.
    stage.deliver(
        envelope ->
            stage.to(0).test(envelope) && carrying(Replicate.class).negate().test(envelope));
    stage.deliver(carrying(Replicate.class));
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    loseNode(stage, 0);
    stage.take(carrying(OperationReply.class));
    stage.tick(1);
    stage.tick(1_000);
    stage.deliverAll();
    assertThat(answer.applied()).as("the retry must not see its own write").isTrue();
    assertThat(answer.value()).isNull();
  }

  @Test
  void aConditionThatDidNotHoldDoesNotHoldForARepetitionEither() {
    Stage stage = warm(Stage.written(2, 2));
    stage.put("k", "1");
    stage.deliverAll();
    Answer failed = stage.submit(Stage.set(Kind.PUT_IF_ABSENT, "k", "2"));
    Envelope operation = stage.sent.get(0);
    stage.deliver(carrying(OperationReply.class).negate());
    stage.take(carrying(OperationReply.class));
    Answer removed = stage.submit(2, Request.remove(Stage.CACHE, 0, Stage.bytes("k"), true));
    stage.deliver(carrying(OperationReply.class).negate());
    stage.deliverAll();
    assertThat(removed.applied()).isTrue();
    stage.hand(operation);
    stage.deliverAll();
    assertThat(failed.reply).isNotNull();
    assertThat(failed.applied()).isFalse();
    assertThat(failed.value()).isEqualTo("1");
    assertThat(stage.stored(0, "k")).isNull();
  }

  @Test
  void aRepetitionOfWhatIsStillUnderWayIsAppliedAndAnsweredOnce() {
    Stage stage = warm(Stage.written(2, 2));
    Answer answer = stage.put("k", "1");
    Envelope operation = stage.sent.get(0);
    stage.deliver(stage.to(0));
    stage.hand(operation);
    assertThat(stage.take(carrying(Replicate.class))).singleElement().satisfies(stage::hand);
    stage.deliver(stage.to(0));
    assertThat(stage.take(carrying(OperationReply.class))).singleElement().satisfies(stage::hand);
    assertThat(answer.applied()).isTrue();
    assertThat(answer.value()).isNull();
  }

  @Test
  void anOperationOlderThanTheWindowIsUnknownAndNotApplied() {
    Stage stage = warm(Stage.written(2, 2));
    Answer late = stage.put("k", "late");
    Envelope operation = stage.take(stage.to(0)).get(0);
    stage.tick(1);
    stage.tick(4_000);
    assertThat(late.failure).isEqualTo(Failure.UNKNOWN);
    stage.take(envelope -> true);
    stage.put("k", "newer");
    stage.deliverAll();
    stage.hand(operation);
    assertThat(stage.sent)
        .singleElement()
        .extracting(envelope -> ((OperationReply) envelope.message()).outcome())
        .isEqualTo(OperationReply.Outcome.UNKNOWN);
    assertThat(stage.stored(0, "k")).isEqualTo("newer");
  }

  @Test
  void anOperationThatWaitsIsNotCarriedOutForACallerThatHasLeft() {
    Stage stage = warm(Stage.written(3, 3));
    // Done and answered, but the answer is lost.
    stage.put("k", "1");
    stage.deliver(carrying(OperationReply.class).negate());
    stage.take(carrying(OperationReply.class));
    stage.submit(1, Stage.set(Kind.PUT, "k", "2"));
    stage.deliver(carrying(OperationReply.class).negate());
    SegmentTable withCaller = Tables.without(stage.table, Tables.node(0));
    stage.crash(0);
    stage.install(withCaller, 1, 2, 3);
    List<Envelope> histories = stage.take(stage.between(1, 2));
    stage.deliver(stage.to(1));
    // The repetition waits for the new primary when its caller is shut out.
    stage.install(Tables.without(withCaller, Tables.node(3)), 1, 2);
    histories.forEach(stage::hand);
    stage.deliverAll();
    assertThat(stage.stored(1, "k")).isEqualTo("2");
  }

  @Test
  void aLongTailIsFetchedInParts() {
    int writes = History.MAX_MUTATIONS + 10;
    int[] callers = {0, 2, 3};
    Stage stage =
        new Stage(
            3,
            3,
            settings ->
                new LaneSettings(
                    settings.self(),
                    1,
                    2 * writes,
                    1 << 24,
                    4,
                    Stage.RESEND_MILLIS * 1_000_000,
                    1));
    stage.installEverywhere(Tables.written(stage.table));
    warm(stage);
    for (int i = 0; i < writes; i++) {
      // By three callers, since one has no more than so many under way.
      stage.submit(callers[i % 3], Stage.set(Kind.PUT, "k" + i, "v"));
    }
    stage.deliver(
        envelope ->
            stage.to(0).test(envelope)
                || (stage.to(2).test(envelope) && carrying(Replicate.class).test(envelope)));
    assertThat(stage.stored(2, "k" + (writes - 1))).isEqualTo("v");
    assertThat(stage.stored(1, "k0")).isNull();
    loseNode(stage, 3);
    loseNode(stage, 0);
    stage.deliverAll();
    assertThat(stage.stored(1, "k" + (writes - 1))).isEqualTo("v");
  }

  private static Stage warm(Stage stage) {
    Answer answer = stage.put("warm", "up");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    return stage;
  }

  /** The node crashes, and all others get a table without it. */
  private static void loseNode(Stage stage, int index) {
    stage.crash(index);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(index)));
  }
}
