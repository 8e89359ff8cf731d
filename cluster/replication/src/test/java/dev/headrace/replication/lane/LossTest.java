package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.SimulatedReads.RangeAnswer;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** When what was acknowledged is lost, and when it is not. */
class LossTest {

  @Test
  void aSegmentBeginsAnewWhenNobodyIsLeftWhoHasAllOfIt() {
    Stage stage = written(2, 1);
    copy(stage, 1);
    stage.put("n", "newest");
    stage.deliver(stage.between(0, 1).negate());
    stage.crash(0);
    commit(stage, Tables.node(1));
    stage.installEverywhere(Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(1).losses).containsExactly(0);
    assertThat(replica(stage, 1).state())
        .as("an older copy is not shown")
        .isEqualTo(ReplicaState.COPYING);
    stage.installEverywhere(Tables.lost(stage.table, 0));
    settle(stage);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(replica(stage, 1).incarnation()).isEqualTo(1);
    assertThat(stage.stored(1, "k")).isNull();
    Answer next = stage.put("k", "next");
    settle(stage);
    assertThat(next.applied()).isTrue();
  }

  @Test
  void aFormerOwnerKeepsWhatItHasUntilEveryOwnerKnowsThatItHasEverything() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    deliverButInSync(stage);
    assertThat(replica(stage, 1)).as("the new primary serves").isNotNull();
    settle(stage);
    assertThat(replica(stage, 2).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(replica(stage, 1)).isNull();
  }

  @Test
  void aFormerOwnerKeepsWhatItHasAlthoughItsCopyIsCancelled() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    deliverButInSync(stage);
    CopyOrder.Copy back = new CopyOrder.Copy(2, 0, List.of(Tables.node(1)));
    stage.node(0).receive(Tables.COORDINATOR, new CopyOrder(stage.table.epoch(), List.of(back)));
    stage.tick(60);
    deliverButInSync(stage);
    stage.node(0).receive(Tables.COORDINATOR, new CopyCancel(List.of(2L)));
    stage.tick(60);
    deliverButInSync(stage);
    assertThat(replica(stage, 1)).as("node 2 does not know yet that it has all").isNotNull();
    stage.crash(0);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(2).losses).isEmpty();
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void aFormerOwnerOfEarlierOwnersIsEnoughTogetherWithOneOfTheLast() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    deliverButInSync(stage);
    Answer newest = stage.put("k", "newest");
    deliverButInSync(stage);
    assertThat(newest.applied()).isTrue();
    stage.crash(0);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(2).losses).isEmpty();
    assertThat(replica(stage, 2).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(2, "k")).isEqualTo("newest");
  }

  @Test
  void aFormerOwnerIsEnoughEvenIfNothingWasWrittenInItsTime() {
    Stage stage = Stage.written(3, 2);
    stage.nodes.subList(0, 2).forEach(node -> node.exchange.lanes().store(Stage.CACHE));
    settle(stage);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    deliverButInSync(stage);
    Answer first = stage.put("k", "first");
    deliverButInSync(stage);
    assertThat(first.applied()).isTrue();
    stage.crash(0);
    stage.installEverywhere(Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(2).losses).isEmpty();
    assertThat(stage.stored(2, "k")).isEqualTo("first");
  }

  @Test
  void aFormerOwnerThatOwnsAgainBeforeOthersServedHasEverything() {
    Stage stage = written(2, 1);
    commitAt(stage, 0, Tables.node(1));
    assertThat(replica(stage, 0).state()).isEqualTo(ReplicaState.COPYING);
    stage.crash(1);
    install(stage, Tables.givenBack(stage.table, Tables.node(1), 0, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(0).losses).isEmpty();
    assertThat(replica(stage, 0).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(0, "k")).isEqualTo("v");
  }

  @Test
  void aFormerBackupThatOwnsAgainDoesSoAlthoughThoseThatNeverServedWentOneAfterTheOther() {
    Stage stage = written(3, 2);
    commitAt(stage, 1, Tables.node(2), Tables.node(0));
    stage.crash(2);
    install(stage, Tables.without(stage.table, Tables.node(2)));
    stage.crash(0);
    install(stage, Tables.givenBack(stage.table, Tables.node(0), 0, Tables.node(1)));
    settle(stage);
    assertThat(stage.node(1).losses).isEmpty();
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void aFormerOwnerThatNobodyHasAskedKnowsThatNothingWasAcknowledgedSince() {
    Stage stage = written(2, 1);
    commit(stage, Tables.node(1));
    stage.take(envelope -> true);
    stage.crash(1);
    commit(stage, Tables.node(0));
    install(stage, Tables.without(stage.table, Tables.node(1)));
    settle(stage);
    assertThat(stage.node(0).losses).isEmpty();
    assertThat(stage.stored(0, "k")).isEqualTo("v");
    assertThat(replica(stage, 0).state()).isEqualTo(ReplicaState.OWNER);
  }

  @Test
  void aFormerOwnerThatOwnsAgainAfterOthersServedHasNotEverything() {
    Stage stage = written(3, 1);
    copy(stage, 1);
    commit(stage, Tables.node(1));
    // Node 1 serves; node 0 never hears that it may forget what it has.
    for (int i = 0; i < 3; i++) {
      stage.deliver(stage.to(0).and(carrying(Settled.class)).negate());
      stage.take(carrying(Settled.class));
      stage.tick(60);
    }
    Answer newest = stage.put("k", "newest");
    stage.deliver(stage.between(0, 1).negate());
    assertThat(newest.applied()).as("node 1 is the only owner").isTrue();
    stage.take(envelope -> true);
    commit(stage, Tables.node(1), Tables.node(0));
    stage.crash(1);
    install(stage, Tables.without(stage.table, Tables.node(1)));
    assertThat(replica(stage, 0).state())
        .as("what it has is older than what was acknowledged")
        .isEqualTo(ReplicaState.COPYING);
    settle(stage);
    assertThat(stage.node(0).losses).containsExactly(0);
  }

  @Test
  void halfACopyIsNotServedAsAnEmptySegment() {
    Stage stage = written(2, 2);
    damage(stage, 1);
    stage.take(carrying(RangeAnswer.class));
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    stage.crash(0);
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    assertThat(replica(stage, 1).incarnation()).isZero();
    assertThat(stage.node(1).losses).as("it remembers that there was content").containsExactly(0);
  }

  @Test
  void aCopyThatIsCompleteIsEnoughAlthoughNobodyHasSaidSo() {
    Stage stage = written(2, 2);
    damage(stage, 1);
    Answer write = stage.put("k", "newest");
    for (int i = 0; i < 6; i++) {
      stage.tick(60);
      deliverButInSync(stage);
    }
    assertThat(write.applied()).isTrue();
    stage.crash(0);
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(1).losses).isEmpty();
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(1, "k")).isEqualTo("newest");
  }

  @Test
  void aCacheFirstWrittenWhenItsNewOwnerIsReadyIsNotAcknowledgedWithoutIt() {
    Stage stage = written(2, 2);
    commit(stage, Tables.node(0));
    settle(stage);
    copy(stage, 1);
    Answer first = stage.submit(inAnotherCache("first"));
    stage.deliver(stage.between(0, 1).negate());
    assertThat(first.pending()).isTrue();
    settle(stage);
    assertThat(first.applied()).isTrue();
    commit(stage, Tables.node(0), Tables.node(1));
    stage.crash(0);
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(1).exchange.lanes().store("other").replica(0).entries()).isOne();
  }

  @Test
  void aFirstWriteThatNobodyAcknowledgedIsNoLoss() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    settle(stage);
    copy(stage, 1);
    commit(stage, Tables.node(0), Tables.node(1));
    settle(stage);
    copy(stage, 2);
    Answer first = stage.submit(inAnotherCache("first"));
    stage.deliver(stage.to(1).and(carrying(Replicate.class).or(carrying(InSync.class))).negate());
    assertThat(first.pending()).isTrue();
    stage.crash(0);
    stage.take(envelope -> true);
    // Node 2 forgets its copy, but not that there was something, which node 1 never had.
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(1).losses).isEmpty();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void aFirstWriteThatALearnerHasOnlyGotWithACopyIsNoLoss() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    commit(stage, Tables.node(0), Tables.node(2));
    settle(stage);
    copy(stage, 1);
    commit(stage, Tables.node(0), Tables.node(1));
    settle(stage);
    Predicate<Envelope> toTheOwner =
        stage.to(1).and(carrying(Replicate.class).or(carrying(InSync.class)));
    Answer first = stage.submit(inAnotherCache("first"));
    stage.deliver(toTheOwner.negate());
    order(stage, 2);
    for (int i = 0; i < 3; i++) {
      stage.tick(60);
      stage.deliver(toTheOwner.negate());
    }
    assertThat(stage.node(2).exchange.lanes().store("other").replica(0).entries()).isOne();
    assertThat(first.pending()).isTrue();
    stage.crash(0);
    stage.take(envelope -> true);
    // Node 2 forgets its copy, which began behind the first mutation.
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(1).losses).isEmpty();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
  }

  @Test
  void aFirstWriteThatAnOwnerHasOnlyHeardOfIsNoLoss() {
    Stage stage = written(4, 3);
    copy(stage, 3);
    commit(stage, Tables.node(0), Tables.node(2), Tables.node(3));
    settle(stage);
    Answer first = stage.submit(inAnotherCache("first"));
    stage.deliver(stage.to(3).and(carrying(Replicate.class).or(carrying(InSync.class))).negate());
    stage.take(envelope -> true);
    stage.crash(2);
    install(stage, Tables.without(stage.table, Tables.node(2)));
    stage.deliver(stage.to(3).and(carrying(HistoryRequest.class)));
    assertThat(first.pending()).isTrue();
    stage.crash(0);
    install(stage, Tables.without(stage.table, Tables.node(0)));
    settle(stage);
    assertThat(stage.node(3).losses).isEmpty();
    assertThat(stage.stored(3, "k")).isEqualTo("v");
  }

  @Test
  void whatOnlyFormerOwnersAcknowledgedIsAnsweredWhenThePresentOnesKnowThatTheyHaveIt() {
    Stage stage = written(3, 2);
    copy(stage, 2);
    Answer newest = stage.put("k", "newest");
    stage.deliver(carrying(OperationReply.class).negate());
    assertThat(stage.take(carrying(OperationReply.class))).as("an answer is lost").hasSize(1);
    commit(stage, Tables.node(0), Tables.node(2));
    deliverButInSync(stage);
    assertThat(newest.pending()).as("node 2 alone could not vouch for it").isTrue();
    settle(stage);
    assertThat(newest.applied()).isTrue();
    assertThat(newest.value()).isEqualTo("v");
  }

  @Test
  void aNewOwnerCanBeReadWhereNothingWasEverWritten() {
    Stage stage = Stage.written(2, 1);
    stage.node(0).exchange.lanes().store(Stage.CACHE);
    copy(stage, 1);
    commit(stage, Tables.node(1));
    settle(stage);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
  }

  // ---- Helpers

  private static Stage written(int dataNodes, int owners) {
    Stage stage = Stage.written(dataNodes, owners);
    stage.put("k", "v");
    stage.deliverAll();
    return stage;
  }

  private static void copy(Stage stage, int destination) {
    stage.take(carrying(CopyStateReport.class)); // those of earlier ones
    order(stage, destination);
    settle(stage);
    assertThat(stage.take(carrying(CopyStateReport.class)))
        .as("reports of a copy that is ready")
        .isNotEmpty()
        .allMatch(report -> ((CopyStateReport) report.message()).states().get(0).ready());
  }

  private static void order(Stage stage, int destination) {
    CopyOrder.Copy copyNumber =
        new CopyOrder.Copy(stage.table.epoch(), 0, List.of(Tables.node(destination)));
    stage
        .node(0)
        .receive(Tables.COORDINATOR, new CopyOrder(stage.table.epoch(), List.of(copyNumber)));
  }

  private static void settle(Stage stage) {
    for (int i = 0; i < 6; i++) {
      stage.tick(60);
      stage.deliver(carrying(CopyStateReport.class).negate());
    }
  }

  /** Nobody hears that it has everything. */
  private static void deliverButInSync(Stage stage) {
    stage.deliver(carrying(InSync.class).negate());
    stage.take(carrying(InSync.class));
  }

  private static void commit(Stage stage, NodeId... owners) {
    int[] changed = {0};
    stage.table = Tables.withRows(stage.table, Map.of(0, List.of(owners)));
    stage.nodes.forEach(node -> node.exchange.tableChanged(stage.table, changed));
  }

  private static void commitAt(Stage stage, int index, NodeId... owners) {
    int[] changed = {0};
    stage.table = Tables.withRows(stage.table, Map.of(0, List.of(owners)));
    stage.node(index).exchange.tableChanged(stage.table, changed);
  }

  private static void install(Stage stage, SegmentTable newer) {
    int[] changed = {0};
    stage.table = newer;
    stage.nodes.forEach(node -> node.exchange.tableChanged(newer, changed));
  }

  /** A message that claims what cannot be: the backup has lost a part of the history. */
  private static void damage(Stage stage, int backup) {
    SegmentTable table = stage.table;
    Settled impossible =
        new Settled(Stage.CACHE, 0, table.epoch(), table.segmentEpoch(0), 10_000, 0);
    stage.node(backup).receive(table.owner(0, 0), impossible);
    assertThat(stage.node(backup).damages).hasSize(1);
  }

  private static Request inAnotherCache(String key) {
    return Request.set(
        Operation.Kind.PUT, "other", 0, Stage.bytes(key), Stage.bytes("v"), 0, false);
  }

  private static Replica replica(Stage stage, int index) {
    return stage.node(index).exchange.lanes().store(Stage.CACHE).replica(0);
  }
}
