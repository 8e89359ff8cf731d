package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Processors that run beside the lane of a primary, as slowly as a test wants. */
class ProcessorsTest {
  private static final int OTHER = 1;
  private static final long RESENT_MILLIS = 600;

  private final Stage stage = Stage.written(2, 2);
  private final Deque<Run> runs = new ArrayDeque<>();

  /** A processor that has not decided yet. */
  private record Run(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    @Nullable String found() {
      byte[] value = run.value();
      return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }

    /** Sets the entry to what was found and the argument, and answers what was found. */
    void append() {
      String before = found() == null ? "" : found();
      String argument = new String(run.operation().expected(), StandardCharsets.UTF_8);
      decided.accept(new EntryDecision(Change.PUT, Stage.bytes(before + argument), 0, run.value()));
    }

    void decide(Change change, String answer) {
      decided.accept(new EntryDecision(change, null, 0, Stage.bytes(answer)));
    }
  }

  ProcessorsTest() {
    stage.nodes.forEach(
        node -> node.exchange.onProcessors((run, decided) -> runs.add(new Run(run, decided))));
  }

  private static Request append(String argument) {
    return Request.process(Stage.CACHE, 0, Stage.bytes("k"), Stage.bytes(argument), 0);
  }

  private Answer begun(int caller, String argument) {
    Answer answer = stage.submit(caller, append(argument));
    stage.deliverAll();
    return answer;
  }

  private void appended() {
    runs.remove().append();
    stage.deliverAll();
  }

  @Test
  void whatIsDecidedIsOnAllOwnersBeforeTheCallerHasTheAnswer() {
    stage.put("k", "a");
    stage.deliverAll();
    Answer answer = begun(2, "b");
    assertThat(answer.pending()).isTrue();
    runs.remove().append();
    assertThat(answer.pending()).as("a backup has not confirmed it").isTrue();
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(answer.value()).isEqualTo("a");
    assertThat(stage.stored(0, "k")).isEqualTo("ab");
    assertThat(stage.stored(1, "k")).isEqualTo("ab");
  }

  @Test
  void anEntryIsLeftOrRemovedToo() {
    Answer kept = begun(2, "x");
    assertThat(runs.element().found()).isNull();
    runs.remove().decide(Change.NONE, "nothing");
    stage.deliverAll();
    assertThat(kept.value()).isEqualTo("nothing");
    assertThat(kept.applied()).isFalse();
    Answer absent = begun(2, "x");
    runs.remove().decide(Change.REMOVE, "nothing to remove");
    stage.deliverAll();
    assertThat(absent.applied()).isFalse();
    stage.put("k", "a");
    stage.deliverAll();
    Answer removed = begun(2, "x");
    runs.remove().decide(Change.REMOVE, "gone");
    stage.deliverAll();
    assertThat(removed.applied()).isTrue();
    assertThat(removed.value()).isEqualTo("gone");
    assertThat(stage.stored(1, "k")).isNull();
  }

  @Test
  void thoseOfOneKeyRunOneAfterTheOther() {
    Answer first = begun(2, "a");
    Answer second = begun(OTHER, "b");
    assertThat(runs).hasSize(1);
    appended();
    assertThat(first.applied()).isTrue();
    assertThat(runs.element().found()).isEqualTo("a");
    appended();
    assertThat(second.value()).isEqualTo("a");
    assertThat(stage.stored(0, "k")).isEqualTo("ab");
  }

  @Test
  void oneThatIsOvertakenRunsAgainAndGetsItsTurn() {
    Answer answer = begun(2, "!");
    for (String value : new String[] {"one", "two"}) {
      Answer put = stage.submit(OTHER, Stage.set(Kind.PUT, "k", value));
      stage.deliverAll();
      assertThat(put.applied()).as("nobody waits for a processor").isTrue();
      appended();
      assertThat(answer.pending()).isTrue();
      assertThat(runs.element().found()).isEqualTo(value);
    }
    Answer waits = stage.submit(OTHER, Stage.set(Kind.PUT, "k", "three"));
    stage.deliverAll();
    assertThat(waits.pending()).as("it has overtaken often enough").isTrue();
    appended();
    assertThat(answer.value()).isEqualTo("two");
    assertThat(waits.value()).isEqualTo("two!");
    assertThat(stage.stored(0, "k")).isEqualTo("three");
  }

  @Test
  void oneThatIsAskedForAgainWhileItRunsRunsOnce() {
    Answer answer = begun(2, "a");
    for (int i = 0; i < 3; i++) {
      stage.tick(1);
      stage.tick(RESENT_MILLIS);
      stage.deliverAll();
    }
    assertThat(runs).hasSize(1);
    appended();
    assertThat(answer.calls).isEqualTo(1);
    assertThat(answer.applied()).isTrue();
    assertThat(runs).isEmpty();
    assertThat(stage.stored(1, "k")).isEqualTo("a");
  }

  @Test
  void thatThereIsNoRoomIsKnownThoughItWasAskedForTwice() {
    Answer answer = begun(2, "a");
    stage.tick(1);
    stage.tick(RESENT_MILLIS);
    stage.deliverAll();
    stage.node(0).exchange.received(stage.id(1), new MemoryNotice(1, 1));
    appended();
    assertThat(answer.failure).as("nothing was written").isEqualTo(Failure.MEMORY_FULL);
    assertThat(stage.stored(0, "k")).isNull();
  }

  @Test
  void whatIsTooLargeIsRefusedThoughItWasAskedForTwice() {
    Answer answer = begun(2, "x".repeat(500));
    appended();
    assertThat(answer.applied()).isTrue();
    Answer again = begun(2, "x".repeat(600));
    stage.tick(1);
    stage.tick(RESENT_MILLIS);
    stage.deliverAll();
    appended();
    assertThat(again.failure)
        .as("nothing was written, and that is known")
        .isEqualTo(Failure.TOO_LARGE);
    Answer next = begun(2, "y");
    appended();
    assertThat(next.applied()).isTrue();
  }

  @Test
  void aNewPrimaryRunsItAnewAndTheOldDecisionCountsNoMore() {
    stage.put("k", "a");
    stage.deliverAll();
    Answer answer = begun(2, "b");
    Run late = runs.remove();
    stage.installEverywhere(Tables.rotated(stage.table));
    stage.deliverAll();
    stage.tick(100);
    stage.deliverAll();
    late.append();
    stage.deliverAll();
    assertThat(stage.stored(0, "k")).isEqualTo("a");
    assertThat(runs).hasSize(1);
    appended();
    assertThat(answer.value()).isEqualTo("a");
    assertThat(stage.stored(0, "k")).isEqualTo("ab");
    assertThat(stage.stored(1, "k")).isEqualTo("ab");
  }

  @Test
  void aNewPrimaryAnswersWhatWasDecidedBefore() {
    Answer answer = begun(2, "a");
    runs.remove().append();
    stage.deliver(envelope -> !(envelope.message() instanceof OperationReply));
    assertThat(stage.stored(1, "k")).isEqualTo("a");
    stage.crash(0);
    stage.install(Tables.without(stage.table, Tables.node(0)), 1, 2);
    stage.deliverAll();
    stage.tick(1);
    stage.tick(RESENT_MILLIS);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(runs).as("processors that were run again").isEmpty();
    assertThat(stage.stored(1, "k")).isEqualTo("a");
  }

  @Test
  void aCallerAsksAgainWhereNoThreadIsFree() {
    Answer first = begun(2, "a");
    Answer second = begun(OTHER, "b");
    runs.remove().decided().accept(null);
    stage.deliverAll();
    assertThat(runs).as("all of the key are refused").isEmpty();
    stage.tick(1);
    stage.tick(100);
    stage.deliverAll();
    appended();
    appended();
    assertThat(first.applied()).isTrue();
    assertThat(second.applied()).isTrue();
    assertThat(stage.stored(0, "k")).hasSize(2).contains("a", "b");
  }

  @Test
  void itsOwnNodeOvertakesItNoMoreOftenThanOthersDo() {
    Answer answer = begun(OTHER, "!");
    for (String value : new String[] {"one", "two"}) {
      stage.submit(OTHER, Stage.set(Kind.PUT, "k", value));
      stage.deliverAll();
      appended();
    }
    Answer waits = stage.submit(OTHER, Stage.set(Kind.PUT, "k", "three"));
    stage.deliverAll();
    stage.tick(RESENT_MILLIS);
    stage.deliverAll();
    assertThat(waits.pending()).as("however long the run takes").isTrue();
    appended();
    assertThat(answer.value()).isEqualTo("two");
    assertThat(waits.value()).isEqualTo("two!");
  }

  @Test
  void oneThatRunsForEverHoldsItsKeyUpForSomeSecondsOnly() {
    begun(OTHER, "!");
    for (String value : new String[] {"one", "two"}) {
      stage.submit(OTHER, Stage.set(Kind.PUT, "k", value));
      stage.deliverAll();
      appended();
    }
    stage.tick(4_500);
    Answer waits = stage.submit(OTHER, Stage.set(Kind.PUT, "k", "three"));
    stage.deliverAll();
    assertThat(waits.pending()).isTrue();
    stage.tick(600);
    stage.deliverAll();
    assertThat(waits.applied()).isTrue();
    assertThat(stage.stored(0, "k")).isEqualTo("three");
  }

  @Test
  void oneWhoseDecisionCannotBeCarriedOutLetsTheNextOneRun() {
    begun(2, "a");
    Answer next = begun(OTHER, "b");
    Run broken = runs.remove();
    assertThatThrownBy(() -> broken.decided().accept(new EntryDecision(Change.PUT, null, 0, null)))
        .isInstanceOf(RuntimeException.class);
    appended();
    assertThat(next.applied()).isTrue();
    assertThat(stage.stored(0, "k")).isEqualTo("b");
  }

  /** The caller must not hear of a change that was not made. */
  @Test
  void oneWhoseEntryExpiresWhileItsDecisionIsCarriedOutRunsAgain() {
    Answer first = begun(2, "x");
    EntryDecision soonGone =
        new EntryDecision(Change.PUT, Stage.bytes("a"), stage.nowMillis + 5, null);
    runs.remove().decided().accept(soonGone);
    stage.deliverAll();
    assertThat(first.applied()).isTrue();
    Answer second = begun(2, "b");
    assertThat(runs.element().found()).isEqualTo("a");
    stage.millisPerLook = 4;
    runs.remove().append();
    stage.millisPerLook = 0;
    stage.deliverAll();
    assertThat(second.pending()).isTrue();
    assertThat(runs.element().found()).isNull();
    appended();
    assertThat(second.applied()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("b");
  }
}
