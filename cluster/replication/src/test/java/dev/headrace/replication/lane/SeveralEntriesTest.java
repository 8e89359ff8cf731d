package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * One operation that writes several entries of a segment: one message, one mutation, one answer.
 */
class SeveralEntriesTest {
  private static final int ENTRIES = 20;

  /** A grouping of writes that is one operation, and that operation. */
  private record Together(WriteGroups groups, Request request) {
    int placeOf(int index) {
      for (int place = 0; place < groups.size(0); place++) {
        if (groups.index(0, place) == index) {
          return place;
        }
      }
      throw new AssertionError("write " + index + " is in no group");
    }
  }

  private static Together together(Stage stage, boolean ifAbsent, String value, long expiry) {
    EncodedWrites writes = new EncodedWrites();
    for (int i = 0; i < ENTRIES; i++) {
      writes.add(Stage.bytes("k" + i), Stage.bytes(value + i), i % 2 == 0 ? 0 : expiry);
    }
    WriteGroups groups = caller(stage).group(writes);
    assertThat(groups.count()).isEqualTo(1);
    return new Together(groups, groups.request(0, Stage.CACHE, 0, ifAbsent));
  }

  private static OperationClient caller(Stage stage) {
    return stage.node(stage.nodes.size() - 1).exchange.caller();
  }

  private static Stage warm(Stage stage) {
    Answer answer = stage.put("warm", "up");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    return stage;
  }

  private static StoredEntry entry(Stage stage, int node, String key) {
    var store = stage.node(node).exchange.lanes().store(Stage.CACHE);
    Replica replica = Objects.requireNonNull(store.replica(0));
    byte[] bytes = Stage.bytes(key);
    return Objects.requireNonNull(
        replica.find(store.space().position(store.space().hash(bytes)), bytes));
  }

  private static void assertEqualContent(Stage stage, int nodes) {
    for (int node = 1; node < nodes; node++) {
      assertThat(stage.node(node).content(Stage.CACHE, 0))
          .isEqualTo(stage.node(0).content(Stage.CACHE, 0));
    }
  }

  @Test
  void oneMessageGoesToThePrimaryOneToEachBackupAndOneComesBack() {
    Stage stage = warm(Stage.written(3, 3));
    Together all = together(stage, false, "v", 0);
    Answer answer = stage.submit(all.request());
    assertThat(stage.sent).singleElement().matches(carrying(Operation.class));
    stage.deliver(stage.to(0));
    assertThat(stage.sent).hasSize(2).allMatch(carrying(Replicate.class));
    assertThat(answer.pending()).isTrue();
    stage.deliver(carrying(Replicate.class));
    assertThat(stage.sent).hasSize(2).allMatch(carrying(Replicated.class));
    stage.deliver(carrying(Replicated.class));
    assertThat(stage.sent).singleElement().matches(carrying(OperationReply.class));
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(stage.stored(2, "k" + i)).isEqualTo("v" + i);
    }
    assertEqualContent(stage, 3);
  }

  @Test
  void eachEntryHasAVersionAndAnExpiryOfItsOwn() {
    Stage stage = warm(Stage.written(2, 2));
    long expiry = stage.nowMillis + 60_000;
    Together all = together(stage, false, "v", expiry);
    Answer answer = stage.submit(all.request());
    stage.deliverAll();
    OperationReply reply = Objects.requireNonNull(answer.reply);
    for (int i = 0; i < ENTRIES; i++) {
      StoredEntry entry = entry(stage, 1, "k" + i);
      assertThat(entry.term()).isEqualTo(reply.versionTerm());
      assertThat(entry.counter()).isEqualTo(reply.versionCounter() + all.placeOf(i));
      assertThat(entry.expiryMillis()).isEqualTo(i % 2 == 0 ? 0 : expiry);
    }
    Answer next = stage.put("next", "one");
    stage.deliverAll();
    assertThat(Objects.requireNonNull(next.reply).versionCounter())
        .isEqualTo(reply.versionCounter() + ENTRIES);
  }

  @Test
  void theAnswerTellsWhichKeysWerePresent() {
    Stage stage = warm(Stage.written(2, 2));
    stage.put("k3", "before");
    stage.put("k7", "before");
    stage.deliverAll();
    Together all = together(stage, true, "v", 0);
    Answer answer = stage.submit(all.request());
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    byte[] left = Objects.requireNonNull(answer.reply).value();
    for (int i = 0; i < ENTRIES; i++) {
      boolean present = i == 3 || i == 7;
      assertThat(EncodedEntries.isLeft(left, all.placeOf(i))).as("key %d", i).isEqualTo(present);
      assertThat(stage.stored(1, "k" + i)).isEqualTo(present ? "before" : "v" + i);
    }
    Together again = together(stage, true, "w", 0);
    Answer none = stage.submit(again.request());
    stage.deliverAll();
    assertThat(none.applied()).as("all keys are present").isFalse();
    assertThat(stage.stored(0, "k1")).isEqualTo("v1");
    assertEqualContent(stage, 2);
  }

  @Test
  void aRepetitionAtANewPrimaryIsAnsweredAlikeAndUndoesNoLaterWrite() {
    Stage stage = warm(Stage.written(3, 3));
    stage.put("k5", "before");
    stage.deliverAll();
    Together all = together(stage, true, "v", 0);
    Answer answer = stage.submit(all.request());
    stage.deliver(carrying(OperationReply.class).negate());
    stage.take(carrying(OperationReply.class));
    Answer later = stage.put("k1", "later");
    Answer removed = stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k2"), false));
    stage.deliverAll();
    assertThat(List.of(later, removed)).allMatch(Answer::applied);
    stage.crash(0);
    stage.install(Tables.without(stage.table, Tables.node(0)), 1, 2, 3);
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    byte[] left = Objects.requireNonNull(answer.reply).value();
    assertThat(EncodedEntries.isLeft(left, all.placeOf(5))).isTrue();
    assertThat(EncodedEntries.isLeft(left, all.placeOf(2))).isFalse();
    assertThat(stage.stored(1, "k1")).isEqualTo("later");
    assertThat(stage.stored(1, "k2")).isNull();
    assertThat(stage.stored(2, "k5")).isEqualTo("before");
  }

  @Test
  void mutationsOfOneAndOfSeveralEntriesAreAppliedInOrder() {
    Stage stage = warm(Stage.written(2, 2));
    Answer first = stage.put("k1", "first");
    Answer several = stage.submit(together(stage, false, "v", 0).request());
    Answer last = stage.put("k2", "last");
    stage.deliver(stage.to(0));
    List<Envelope> replicates = new ArrayList<>(stage.take(carrying(Replicate.class)));
    assertThat(replicates).hasSize(3);
    Collections.reverse(replicates);
    replicates.forEach(stage::hand);
    stage.deliverAll();
    assertThat(List.of(first, several, last)).allMatch(Answer::applied);
    assertThat(stage.stored(1, "k1")).isEqualTo("v1");
    assertThat(stage.stored(1, "k2")).isEqualTo("last");
    assertEqualContent(stage, 2);
  }

  @Test
  void aNewPrimaryTakesSeveralEntriesFromTheOwnerThatHasThem() {
    Stage stage = warm(Stage.written(3, 3));
    Answer several = stage.submit(together(stage, false, "v", 0).request());
    Answer after = stage.put("k4", "after");
    stage.deliver(envelope -> stage.to(0).test(envelope) || stage.to(2).test(envelope));
    stage.crash(0);
    stage.install(Tables.without(stage.table, Tables.node(0)), 1, 2, 3);
    stage.deliverAll();
    assertThat(List.of(several, after)).allMatch(Answer::applied);
    assertThat(stage.stored(1, "k4")).isEqualTo("after");
    assertThat(stage.stored(1, "k9")).isEqualTo("v9");
    assertThat(stage.node(2).content(Stage.CACHE, 0))
        .isEqualTo(stage.node(1).content(Stage.CACHE, 0));
  }

  @Test
  void anEntryThatIsTooLargeRefusesTheOperationAndNothingIsWritten() {
    Stage stage = warm(Stage.written(2, 2));
    EncodedWrites writes = new EncodedWrites();
    writes.add(Stage.bytes("small"), Stage.bytes("v"), 0);
    writes.add(Stage.bytes("large"), new byte[2_000], 0);
    WriteGroups groups = caller(stage).group(writes);
    Answer answer = stage.submit(groups.request(0, Stage.CACHE, 0, false));
    stage.deliverAll();
    assertThat(answer.failure).isEqualTo(Failure.TOO_LARGE);
    assertThat(stage.stored(0, "small")).isNull();
    Answer next = stage.put("next", "one");
    stage.deliverAll();
    assertThat(next.applied()).isTrue();
    assertEqualContent(stage, 2);
  }

  @Test
  void entriesThatAreNotInOrderChangeNothing() {
    Stage stage = warm(Stage.written(2, 2));
    Operation sound = operation(stage);
    byte[] value = Objects.requireNonNull(sound.value());
    EncodedEntries entries = new EncodedEntries(value);
    EncodedEntries.Writer writer = new EncodedEntries.Writer(entries.count(), value.length - 1);
    for (int i = entries.count() - 1; i >= 0; i--) {
      var entry = entries.entry(i);
      writer.add(entry.key(), entry.keyOffset(), entry.keyLength(), entry.valueLength(), 0);
    }
    Operation damaged =
        new Operation(
            sound.id(),
            sound.cache(),
            sound.format(),
            sound.segment(),
            sound.segmentEpoch(),
            sound.epoch(),
            sound.admission(),
            Kind.PUT_ALL,
            sound.key(),
            writer.bytes(),
            null,
            0,
            0,
            0,
            false,
            false);
    LaneNode primary = stage.node(0);
    assertThatThrownBy(() -> primary.receive(damaged.id().caller(), damaged))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("order");
    assertThat(stage.stored(0, "k1")).isNull();
    Answer next = stage.put("next", "one");
    stage.deliverAll();
    assertThat(next.applied()).isTrue();
  }

  private static Operation operation(Stage stage) {
    stage.submit(together(stage, false, "v", 0).request());
    return (Operation) stage.take(carrying(Operation.class)).get(0).message();
  }
}
