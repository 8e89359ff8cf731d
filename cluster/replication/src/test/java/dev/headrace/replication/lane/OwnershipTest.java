package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who serves what, from the first table to the loss of the last owner; reading and expiry. */
class OwnershipTest {

  @Test
  void aSegmentThatWasNeverWrittenReadsAsEmpty() {
    Stage stage = new Stage(2, 2, settings -> settings);
    Answer answer = stage.get("k");
    stage.deliverAll();
    assertThat(answer.reply.outcome()).isEqualTo(OperationReply.Outcome.DONE);
    assertThat(answer.applied()).isFalse();
    assertThat(stage.node(0).firstWriteRequests).as("reading writes nothing").isZero();
    assertThat(stage.node(1).exchange.lanes().store("other").replica(0).state())
        .isEqualTo(ReplicaState.OWNER);
  }

  @Test
  void theFirstWriteWaitsForTheFirstWrite() {
    Stage stage = new Stage(2, 2, settings -> settings);
    Answer answer = stage.put("k", "v");
    stage.deliverAll();
    assertThat(stage.node(0).firstWriteRequests).isEqualTo(1);
    assertThat(answer.pending()).isTrue();
    stage.installEverywhere(Tables.written(stage.table));
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void anUnwrittenTableMayGiveASegmentToOthers() {
    Stage stage = new Stage(2, 1, settings -> settings);
    stage.deliverAll();
    stage.get("k");
    stage.deliverAll();
    stage.node(0).exchange.lanes().store(Stage.CACHE);
    stage.node(1).exchange.lanes().store(Stage.CACHE);
    SegmentTable moved = Tables.withOwner(stage.table, 1);
    stage.installEverywhere(moved);
    assertThat(stage.node(0).exchange.lanes().store(Stage.CACHE).replica(0)).isNull();
    stage.installEverywhere(Tables.written(moved));
    Answer answer = stage.put("k", "v");
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void whatANodeComesToOwnAfterTheFirstWriteIsNotServedBeforeItIsCopied() {
    Stage stage = Stage.written(2, 1);
    stage.put("k", "v");
    stage.deliverAll();
    stage.installEverywhere(Tables.withOwner(stage.table, 1));
    Answer answer = stage.get("k");
    stage.deliverAll();
    assertThat(answer.pending()).isTrue();
    assertThat(stage.node(1).exchange.lanes().store(Stage.CACHE).replica(0).state())
        .isEqualTo(ReplicaState.COPYING);
  }

  @Test
  void aFormerOwnerServesNobodyAndDropsItsReplicaWhenTheNewPrimaryServes() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "v");
    stage.deliverAll();
    Replica before = stage.node(0).exchange.lanes().store(Stage.CACHE).replica(0);
    SegmentTable newer = Tables.withOwner(stage.table, 1);
    stage.install(newer, 0, 1);
    assertThat(before.state()).isEqualTo(ReplicaState.COPYING);
    Answer answer = stage.get("k");
    stage.deliver(envelope -> !carrying(TableNotice.class).test(envelope));
    assertThat(answer.pending()).isTrue();
    assertThat(stage.take(carrying(TableNotice.class)))
        .singleElement()
        .extracting(envelope -> ((TableNotice) envelope.message()).image())
        .isEqualTo(newer);
    stage.install(newer, 2);
    stage.deliverAll();
    assertThat(answer.value()).isEqualTo("v");
    assertThat(stage.node(0).exchange.lanes().store(Stage.CACHE).replica(0)).isNull();
    assertThat(before.state()).isEqualTo(ReplicaState.ABSENT);
  }

  @Test
  void anyOwnerAnswersAGet() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "v");
    stage.deliverAll();
    Answer near = stage.submit(1, Request.get(Stage.CACHE, 0, Stage.bytes("k"), true));
    assertThat(near.value()).as("without a message").isEqualTo("v");
    assertThat(stage.sent).isEmpty();
    Answer far = stage.get("k");
    stage.take(stage.to(0));
    stage.node(2).exchange.disconnected(Tables.node(0));
    stage.tick(1);
    stage.tick(10);
    stage.deliver(stage.between(2, 1));
    assertThat(far.value()).as("from the backup, as the primary is silent").isEqualTo("v");
  }

  @Test
  void aGetMayAskForPresenceOnly() {
    Stage stage = Stage.written(1, 1);
    stage.put("k", "v");
    Answer there = stage.submit(Request.get(Stage.CACHE, 0, Stage.bytes("k"), false));
    stage.deliverAll();
    assertThat(there.applied()).isTrue();
    assertThat(there.reply.value()).isNull();
  }

  @Test
  void writesBelowTheLeastNumberOfOwnersAreRefusedAndHaveNotHappened() {
    Stage stage =
        new Stage(
            2, 2, settings -> new LaneSettings(settings.self(), 2, 64, 1 << 20, 4, 1_000_000, 1));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k", "1");
    stage.deliverAll();
    stage.crash(1);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(1)));
    Answer answer = stage.put("k", "2");
    Answer read = stage.get("k");
    stage.deliverAll();
    assertThat(answer.failure).isEqualTo(Failure.UNAVAILABLE);
    assertThat(answer.message).contains("egment 0", Stage.CACHE, "fewer owners");
    assertThat(read.value()).isEqualTo("1");
  }

  @Test
  void aWriteIsNotAnsweredWhileFewerOwnersHaveItThanWritesNeed() {
    Stage stage = needingTwoOwners(3);
    Answer write = stage.put("k", "v");
    Answer nothingFound = stage.submit(Stage.set(Kind.REPLACE, "absent", "v"));
    stage.deliver(stage.between(0, 3));
    assertThat(stage.stored(0, "k")).as("it has been carried out").isEqualTo("v");
    stage.crash(1);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(1)));
    stage.deliverAll();
    stage.tickUntilResent();
    stage.deliverAll();
    assertThat(List.of(write, nothingFound)).allMatch(Answer::pending);
    stage.installEverywhere(
        Tables.withRows(stage.table, Map.of(0, List.of(stage.id(0), stage.id(2)))));
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
    assertThat(nothingFound.reply).isNotNull();
    assertThat(nothingFound.applied()).isFalse();
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void aResultThatIsAskedForAgainIsNotToldByFewerOwnersThanWritesNeed() {
    Stage stage = needingTwoOwners(3);
    Answer write = stage.put("k", "v");
    stage.deliver(envelope -> !carrying(OperationReply.class).test(envelope));
    stage.take(carrying(OperationReply.class));
    stage.crash(1);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(1)));
    stage.deliverAll();
    assertThat(write.pending()).isTrue();
    stage.installEverywhere(
        Tables.withRows(stage.table, Map.of(0, List.of(stage.id(0), stage.id(2)))));
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  private static Stage needingTwoOwners(int dataNodes) {
    Stage stage =
        new Stage(
            dataNodes,
            2,
            settings -> new LaneSettings(settings.self(), 2, 64, 1 << 20, 4, 1_000_000, 1));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("first", "1");
    stage.deliverAll();
    return stage;
  }

  @Test
  void aSegmentWithoutOwnersIsUnavailableAtOnce() {
    Stage stage = Stage.written(2, 1);
    stage.put("k", "1");
    stage.deliverAll();
    Answer inFlight = stage.put("k", "2");
    stage.take(envelope -> true);
    stage.crash(0);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(0)));
    assertThat(inFlight.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(stage.put("k", "3").failure).isEqualTo(Failure.UNAVAILABLE);
    assertThat(stage.get("k").failure).isEqualTo(Failure.UNAVAILABLE);
  }

  @Test
  void whatHasExpiredIsAbsentAndIsRemovedByThePrimaryAlone() {
    Stage stage = Stage.written(2, 2);
    long expiryMillis = stage.nowMillis + 100;
    stage.submit(
        Request.set(
            Kind.PUT, Stage.CACHE, 0, Stage.bytes("k"), Stage.bytes("v"), expiryMillis, false));
    stage.deliverAll();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    stage.tick(100);
    Answer replaced = stage.submit(Stage.set(Kind.REPLACE, "k", "w"));
    stage.deliverAll();
    assertThat(replaced.applied()).isFalse();
    assertThat(entries(stage, 0)).as("hidden, but there").isEqualTo(1);
    assertThat(stage.node(1).upkeep.expire(10)).as("a backup removes nothing").isZero();
    assertThat(stage.node(0).upkeep.expire(10)).isEqualTo(1);
    stage.deliverAll();
    assertThat(entries(stage, 0)).isZero();
    assertThat(entries(stage, 1)).isZero();
  }

  private static long entries(Stage stage, int node) {
    return stage.node(node).exchange.lanes().store(Stage.CACHE).replica(0).entries();
  }

  @Test
  void anEntryAboveTheLimitIsRefusedAndHasNotHappened() {
    Stage stage = Stage.written(2, 2);
    Answer answer = stage.put("k", "x".repeat(2_000));
    stage.deliverAll();
    assertThat(answer.failure).isEqualTo(Failure.TOO_LARGE);
    assertThat(stage.stored(0, "k")).isNull();
    Answer after = stage.put("k", "v");
    stage.deliverAll();
    assertThat(after.applied()).isTrue();
  }

  @Test
  void oneCacheTooManyIsRefusedAndTheOthersGoOn() {
    Stage stage = Stage.written(2, 1);
    for (int i = 0; i < Lanes.MAX_CACHES; i++) {
      stage.submit(put("cache " + i));
      stage.deliverAll();
    }
    Answer refused = stage.submit(put("another"));
    stage.deliverAll();
    assertThat(refused.failure).isEqualTo(Failure.TOO_MANY_CACHES);
    assertThat(refused.message).contains("another").contains("4096 caches");
    assertThat(stage.node(0).exchange.lanes().cacheNames()).doesNotContain("another");

    Answer again = stage.submit(put("cache 0"));
    Answer absent = stage.submit(Request.get("another", 0, Stage.bytes("k"), true));
    stage.deliverAll();
    assertThat(again.applied()).isTrue();
    assertThat(absent.reply).as("what was never written is absent").isNotNull();
    assertThat(absent.applied()).isFalse();
  }

  @Test
  void aBackupTakesWhateverCacheItsPrimaryHasLetIn() {
    Stage stage = Stage.written(2, 2);
    for (int i = 0; i < Lanes.MAX_CACHES; i++) {
      stage.node(1).exchange.lanes().store("cache " + i);
    }
    Answer answer = stage.submit(put("another"));
    stage.deliverAll();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.node(1).exchange.lanes().cacheNames()).contains("another");
  }

  @Test
  void aPeerThatMakesCachesWithoutEndFindsABound() {
    Stage stage = Stage.written(2, 2);
    Lanes lanes = stage.node(1).exchange.lanes();
    for (int i = 0; i < Lanes.MAX_CACHES_OF_OWNERS; i++) {
      lanes.receive(new NodeId(0, 1), told("cache " + i));
    }
    assertThatThrownBy(() -> lanes.receive(new NodeId(0, 1), told("another")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another");
    assertThat(lanes.cacheNames()).hasSize(Lanes.MAX_CACHES_OF_OWNERS).doesNotContain("another");
  }

  private static Replicated told(String cache) {
    return new Replicated(cache, 0, 1, 1, 0, true, false);
  }

  @Test
  void aReadOfOneCacheTooManyFindsItEmptyAndOpensNothing() {
    Stage stage = Stage.written(1, 1);
    Lanes lanes = stage.node(0).exchange.lanes();
    for (int i = 0; i < Lanes.MAX_CACHES; i++) {
      lanes.store("cache " + i);
    }
    assertThat(lanes.store("another").replica(0).entries()).isZero();
    assertThat(lanes.cacheNames()).hasSize(Lanes.MAX_CACHES).doesNotContain("another");
  }

  private static Request put(String cache) {
    return Request.set(Kind.PUT, cache, 0, Stage.bytes("k"), Stage.bytes("v"), 0, false);
  }

  @Test
  void aKeyInAForeignSegmentIsRefused() {
    Stage stage = new Stage(1, 1, settings -> settings);
    SegmentTable two = Tables.written(Tables.unwritten(1, 1, 2, 1));
    LaneNode node =
        new LaneNode(LaneSettings.of(Tables.node(0), 1), 1000, (to, message) -> {}, () -> 0);
    node.exchange.tableChanged(two);
    var space = node.exchange.lanes().store(Stage.CACHE).space();
    int wrong = 1 - space.segment(space.hash(Stage.bytes("k")));
    Operation operation =
        new Operation(
            new OperationId(Tables.node(1), 64, 64),
            Stage.CACHE,
            0,
            wrong,
            two.epoch(),
            two.epoch(),
            0,
            Kind.REMOVE,
            Stage.bytes("k"),
            null,
            null,
            0,
            0,
            0,
            false,
            false);
    assertThatThrownBy(() -> node.receive(Tables.node(1), operation))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("segment " + wrong);
    assertThatThrownBy(() -> node.receive(Tables.node(0), operation))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(stage.sent).isEmpty();
  }

  @Test
  void aNodeThatJoinsAnotherClusterForgetsWhatItHad() {
    Stage stage = Stage.written(1, 1);
    stage.put("k", "v");
    stage.deliverAll();
    SegmentTable other = Tables.ofCluster(stage.table, 0x77);
    stage.installEverywhere(other);
    assertThat(stage.stored(0, "k")).isNull();
    Answer answer = stage.put("k", "w");
    stage.deliverAll();
    assertThat(answer.pending()).as("it holds nothing of the other's data").isTrue();
  }

  @Test
  void aReplicaIsOutOfSyncUntilItHasEverythingAndIsToldSo() {
    Stage stage = Stage.written(2, 1);
    stage.put("k", "v");
    stage.deliverAll();
    assertThat(stage.node(0).exchange.lanes().outOfSyncSegments().isEmpty()).isTrue();

    installNext(
        stage, Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(0), Tables.node(1)))));
    stage.deliver(Stage.carrying(Learned.class).negate());
    assertThat(stage.node(1).exchange.lanes().outOfSyncSegments().get(0)).isTrue();
    stage.deliverAll();
    for (int i = 0; i < 20; i++) {
      stage.tickUntilResent();
      stage.deliverAll();
    }
    assertThat(stage.node(0).exchange.lanes().outOfSyncSegments().isEmpty()).isTrue();
    assertThat(stage.node(1).exchange.lanes().outOfSyncSegments().isEmpty()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void aLaneThatWasJustMadeIsToldOfWithoutATableOfItsOwn() {
    Stage stage = Stage.written(2, 1);
    installNext(stage, Tables.withOwner(stage.table, 1));
    stage.node(1).exchange.lanes().store("another");
    assertThat(stage.node(1).exchange.lanes().outOfSyncSegments().cardinality()).isBetween(0, 1);
    assertThat(stage.node(0).exchange.lanes().outOfSyncSegments().isEmpty()).isTrue();
  }

  @Test
  void aBackupThatBecomesPrimaryStaysInSyncWhileItWaitsForALease() {
    Stage stage = new Stage(3, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k", "1");
    stage.deliverAll();
    NodeId primary = stage.table.owner(0, 0);
    int backup = stage.table.owner(0, 1).equals(stage.id(1)) ? 1 : 2;
    installNext(stage, Tables.without(stage.table, primary));
    stage.crash(0);
    Answer second = stage.put("k", "2");
    stage.deliverAll();
    assertThat(second.pending()).isTrue();
    assertThat(stage.node(backup).exchange.lanes().outOfSyncSegments().isEmpty()).isTrue();
  }

  @Test
  void aFormerOwnerThatIsAMemberIsWaitedForWithoutLeasesToo() {
    Stage stage = Stage.written(3, 2);
    stage.put("k", "1");
    stage.deliverAll();
    installNext(
        stage, Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(0), Tables.node(2)))));
    stage.tick(1);
    Answer second = stage.put("k", "2");
    for (int i = 0; i < 9; i++) {
      stage.deliver(stage.to(1).negate());
      stage.take(stage.to(1));
      stage.tick(Stage.RESEND_MILLIS);
    }
    assertThat(second.pending()).as("node 1 may still answer with what it has").isTrue();
    for (int i = 0; i < 4; i++) {
      stage.take(stage.to(1));
      stage.deliverAll();
      stage.tick(Stage.RESEND_MILLIS);
    }
    assertThat(second.applied()).isTrue();
  }

  @Test
  void whomAPrimaryHasHeardItsSuccessorsDoNotWaitForAgain() {
    Stage stage = new Stage(3, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    stage.installEverywhere(Tables.written(stage.table));
    Answer first = stage.put("k", "1");
    stage.deliverAll();
    assertThat(first.applied()).isTrue();
    installNext(stage, Tables.withOwner(stage.table, 1));
    stage.deliverAll();
    installNext(stage, Tables.without(stage.table, Tables.node(0)));
    stage.crash(0);
    installNext(
        stage, Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(1), Tables.node(2)))));
    Answer second = stage.put("k", "2");
    stage.deliverAll();
    assertThat(second.applied()).as("without waiting for the lease of who has left").isTrue();
  }

  @Test
  void whoWasExcludedBeforeAnythingWasWrittenMayStillSaySoUntilItsLeaseIsOver() {
    Stage stage = new Stage(2, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    stage.tick(1);
    stage.install(Tables.without(stage.table, Tables.node(1)), 0, 2);
    stage.install(Tables.written(stage.table), 0, 2);
    stage.tick(1);
    Answer write = stage.put("k", "v");
    stage.deliverAll();
    stage.tick(1_900);
    stage.deliverAll();
    assertThat(write.applied()).as("while somebody may read that there is nothing").isFalse();
    stage.tick(200);
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  @Test
  void anOwnerByItsFirstTableDoesNotKnowWhoWasExcludedBefore() {
    Stage stage = new Stage(2, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    SegmentTable other = Tables.ofCluster(stage.table, 0x77);
    stage.install(Tables.without(other, Tables.node(1)), 0, 2);
    stage.tick(1);
    Answer write = stage.put("k", "v");
    stage.deliverAll();
    stage.tick(1_900);
    stage.deliverAll();
    assertThat(write.applied()).as("while somebody may read that there is nothing").isFalse();
    stage.tick(200);
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  @Test
  void whoCameAndWasExcludedBetweenTwoTablesMayStillSayThatNothingWasWritten() {
    Stage stage = new Stage(2, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    stage.installEverywhere(Tables.placedAnew(stage.table, stage.table.epoch() + 2));
    stage.installEverywhere(Tables.written(stage.table));
    stage.tick(1);
    Answer write = stage.put("k", "v");
    stage.deliverAll();
    stage.tick(1_900);
    stage.deliverAll();
    assertThat(write.applied()).as("while somebody may read that there is nothing").isFalse();
    stage.tick(200);
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  @Test
  void theFirstWriteWaitsForNobodyWhoWasExcludedBeforeWhatThisNodeHasSeen() {
    Stage stage = new Stage(2, 2, settings -> settings.withLeaseWaitNanos(2_000 * Stage.MILLIS));
    stage.installEverywhere(Tables.placedAnew(stage.table, stage.table.epoch()));
    stage.installEverywhere(Tables.placedAnew(stage.table, SegmentTable.NEVER));
    stage.installEverywhere(Tables.written(stage.table));
    stage.tick(1);
    Answer write = stage.put("k", "v");
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  /** The next table, and nothing between. */
  private static void installNext(Stage stage, SegmentTable newer) {
    int[] changed = Tables.changed(stage.table, newer);
    stage.table = newer;
    for (LaneNode node : stage.nodes) {
      if (newer.member(node.id) != null || node.exchange.lanes().table() != null) {
        node.exchange.tableChanged(newer, changed);
      }
    }
  }
}
