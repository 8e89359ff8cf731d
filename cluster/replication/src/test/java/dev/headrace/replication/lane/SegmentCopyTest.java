package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.SimulatedReads.RangeAnswer;
import dev.headrace.replication.lane.SimulatedReads.RangeQuestion;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Copying a segment to a node that is to become an owner, and handing the segment over to it. */
class SegmentCopyTest {
  private static final int MANY = 600;

  @Test
  void aDestinationIsCopiedToWhileWritesGoOnAndTakesOver() {
    Stage stage = filled(2, 1);
    order(stage, 1);
    stage.deliver(stage.between(0, 1));
    stage.put("while", "copying");
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k0"), false));
    deliverAndTick(stage);
    assertThat(report(stage).ready()).isTrue();
    stage.put("after", "ready");
    stage.deliverAll();
    commit(stage, List.of(Tables.node(1)));
    stage.deliverAll();
    Answer last = stage.put("last", "one");
    deliverAndTick(stage);
    assertThat(last.applied()).isTrue();
    assertThat(stage.stored(1, "while")).isEqualTo("copying");
    assertThat(stage.stored(1, "after")).isEqualTo("ready");
    assertThat(stage.stored(1, "k0")).isNull();
    assertThat(stage.stored(1, "k" + (MANY - 1))).isEqualTo("v".repeat(200));
    assertThat(replica(stage, 0)).as("dropped when the new primary serves").isNull();
  }

  @Test
  void aNewOwnerIsNotReadBeforeThePrimarySaysThatItIsLevel() {
    Stage stage = filled(2, 2, 1);
    order(stage, 1);
    deliverAndTick(stage);
    Answer written = stage.put("k1", "newest");
    stage.deliver(stage.between(0, 1).negate());
    stage.take(carrying(Replicate.class));
    assertThat(written.pending()).as("who is ready to be an owner is waited for").isTrue();
    SegmentTable newer = withRow(stage, List.of(Tables.node(0), Tables.node(1)));
    stage.node(1).exchange.tableChanged(newer, new int[] {0});
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    stage.node(0).exchange.tableChanged(newer, new int[] {0});
    stage.node(2).exchange.tableChanged(newer, new int[] {0});
    stage.table = newer;
    deliverAndTick(stage);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(1, "k1")).isEqualTo("newest");
  }

  @Test
  void resultsMoveAlongSoThatARepetitionIsAnsweredAlike() {
    Stage stage = filled(2, 1);
    Answer answer = stage.submit(Stage.set(Operation.Kind.PUT_IF_ABSENT, "n", "1"));
    stage.deliver(stage.to(0));
    stage.take(carrying(OperationReply.class));
    order(stage, 1);
    deliverAndTick(stage);
    commit(stage, List.of(Tables.node(1)));
    deliverAndTick(stage);
    stage.tick(4_000);
    deliverAndTick(stage);
    assertThat(answer.calls).isEqualTo(1);
    assertThat(answer.failure != null || answer.applied())
        .as("not told that the key was there")
        .isTrue();
  }

  /** A slow network must not get the same range ever again while it is still arriving. */
  @Test
  void aRangeThatIsOnItsWayForLongIsAskedForAgainEverLater() {
    Stage stage = filled(2, 1);
    order(stage, 1);
    stage.deliver(carrying(CopyOrder.class).or(carrying(BeginCopy.class)));
    List<Envelope> questions = new ArrayList<>(stage.take(carrying(RangeQuestion.class)));
    for (int i = 0; i < 81; i++) {
      stage.tick(100);
      stage.deliver(carrying(RangeQuestion.class).or(carrying(CopyStateReport.class)).negate());
      questions.addAll(stage.take(carrying(RangeQuestion.class)));
    }
    assertThat(questions).as("within 8.1 s, with a patience of a second at first").hasSize(4);
    stage.hand(questions.get(0));
    deliverAndTick(stage);
    assertThat(report(stage).ready()).as("by the answer to the first").isTrue();
  }

  @Test
  void aSmallSegmentComesWithTheOrderToBegin() {
    Stage stage = small();
    order(stage, 1);
    stage.deliver(carrying(CopyOrder.class).or(carrying(BeginCopy.class)));
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    assertThat(stage.sent).as("nothing is left to read").noneMatch(carrying(RangeQuestion.class));
    deliverAndTick(stage);
    assertThat(report(stage).ready()).isTrue();
  }

  @Test
  void entriesThatCameDamagedWithTheOrderAreAskedForAgain() {
    Stage stage = small();
    order(stage, 1);
    Envelope envelope = stage.take(carrying(BeginCopy.class)).get(0);
    stage.hand(new Envelope(envelope.from(), envelope.to(), cutShort(envelope)));
    assertThat(stage.node(1).damages).singleElement().asString().contains("cannot be stored");
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    assertThat(stage.stored(1, "k")).isNull();
    deliverAndTick(stage);
    assertThat(report(stage).ready()).isTrue();
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    assertThat(stage.node(1).damages).as("by a copy that was sound").hasSize(1);
  }

  @Test
  void aCancelledCopyLeavesNothingBehind() {
    Stage stage = filled(2, 1);
    order(stage, 1);
    stage.deliver(carrying(BeginCopy.class).or(carrying(RangeQuestion.class)));
    stage.hand(stage.take(carrying(RangeAnswer.class)).get(0));
    assertThat(replica(stage, 1)).isNotNull();
    stage.node(0).receive(Tables.COORDINATOR, new CopyCancel(List.of(1L)));
    deliverAndTick(stage);
    assertThat(replica(stage, 1)).isNull();
    assertThat(stage.put("k", "goes on").calls).isZero();
    stage.deliverAll();
    assertThat(stage.stored(0, "k")).isEqualTo("goes on");
  }

  @Test
  void aCopyEndsWhenTheOwnersChangeOtherwise() {
    Stage stage = filled(3, 3, 2);
    order(stage, 2);
    stage.deliver(carrying(CopyOrder.class));
    tickTo(stage);
    commit(stage, List.of(Tables.node(1), Tables.node(0)));
    deliverAndTick(stage);
    assertThat(report(stage).ready()).isFalse();
    assertThat(report(stage).reason()).contains("owners");
    assertThat(replica(stage, 2)).isNull();
  }

  @Test
  void aSoleOwnersSuccessorWaitsForItWithoutLimit() {
    Stage stage = filled(2, 1);
    order(stage, 1);
    deliverAndTick(stage);
    stage.put("k1", "newest");
    stage.deliver(stage.between(0, 1).negate());
    stage.take(stage.between(0, 1));
    assertThat(stage.stored(0, "k1")).isEqualTo("newest");
    SegmentTable newer = withRow(stage, List.of(Tables.node(1)));
    stage.table = newer;
    stage.install(newer, 1, 2);
    Answer read = stage.get("k1");
    for (int i = 0; i < 20; i++) {
      stage.tick(150);
      stage.deliver(stage.between(0, 1).negate());
      stage.take(stage.between(0, 1));
    }
    assertThat(read.value()).as("it may not be told the older value").isNull();
    assertThat(read.applied()).isFalse();
    stage.install(newer, 0);
    for (int i = 0; i < 5; i++) {
      deliverAndTick(stage);
    }
    assertThat(stage.stored(1, "k1")).isEqualTo("newest");
  }

  @Test
  void aPrimaryWithEverythingServesWhenTheLeasesOfThoseItCannotAskHaveRunOut() {
    Stage stage = new Stage(2, 2, settings -> settings.withLeaseWaitNanos(500 * Stage.MILLIS));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k", "1");
    stage.deliverAll();
    stage.crash(1);
    SegmentTable newer = Tables.without(stage.table, Tables.node(1));
    stage.table = newer;
    stage.node(0).exchange.tableChanged(newer, new int[] {0});
    stage.node(2).exchange.tableChanged(newer, new int[] {0});
    Answer write = stage.put("k", "2");
    stage.tick(1);
    stage.deliverAll();
    stage.tick(499);
    stage.deliverAll();
    assertThat(write.pending()).as("the other may still answer readers").isTrue();
    assertThat(stage.submit(0, Request.get(Stage.CACHE, 0, Stage.bytes("k"), true)).value())
        .as("reads go on")
        .isEqualTo("1");
    stage.tick(2);
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  @Test
  void withoutALeaseNothingIsReadOrAcknowledged() {
    Stage stage = filled(1, 1);
    stage.node(0).lease = () -> false;
    Answer read = stage.get("k1");
    Answer local = stage.submit(0, Request.get(Stage.CACHE, 0, Stage.bytes("k1"), true));
    Answer write = stage.put("k1", "2");
    stage.deliverAll();
    assertThat(List.of(read.pending(), local.pending(), write.pending())).containsOnly(true);
    stage.node(0).lease = () -> true;
    stage.tick(1);
    stage.tick(100);
    stage.deliverAll();
    assertThat(write.applied()).isTrue();
  }

  @Test
  void anOwnerThatLostItsCopyGetsOneInItsPlaceAndWritesWaitForItsCopy() {
    Stage stage = filled(2, 2);
    Answer write = stage.put("k", "1");
    stage.deliver(stage.to(0));
    Envelope envelope = stage.take(carrying(Replicate.class)).get(0);
    Replicate message = (Replicate) envelope.message();
    // A message that claims what cannot be: the backup has lost a part of the history.
    stage.hand(
        new Envelope(
            envelope.from(),
            envelope.to(),
            new Settled(message.cache(), 0, message.epoch(), message.segmentEpoch(), 10_000, 0)));
    assertThat(stage.node(1).damages).hasSize(1);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    for (int i = 0; i < 4; i++) {
      stage.tick(100);
      stage.deliver(carrying(RangeAnswer.class).negate());
    }
    assertThat(write.pending()).as("a single copy is not enough for two owners").isTrue();
    assertThat(stage.submit(0, Request.get(Stage.CACHE, 0, Stage.bytes("k1"), true)).value())
        .as("reads go on")
        .isNotNull();
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.COPYING);
    deliverAndTick(stage);
    assertThat(write.applied()).isTrue();
    deliverAndTick(stage);
    assertThat(replica(stage, 1).state()).isEqualTo(ReplicaState.OWNER);
    assertThat(stage.stored(1, "k")).isEqualTo("1");
    assertThat(stage.node(1).content(Stage.CACHE, 0))
        .isEqualTo(stage.node(0).content(Stage.CACHE, 0));
  }

  @Test
  void aNewOwnerWhoseAnswerIsLostIsToldAgainThatItHasEverything() {
    Stage stage = filled(3, 2);
    order(stage, 2);
    deliverAndTick(stage);
    Answer answer = stage.put("last", "one");
    stage.deliver(stage.to(0).or(stage.between(0, 2)));
    stage.crash(1);
    SegmentTable left = Tables.without(stage.table, Tables.node(1));
    stage.installEverywhere(
        Tables.withRows(left, Map.of(0, List.of(Tables.node(0), Tables.node(2)))));
    stage.deliver(carrying(InSync.class).negate());
    stage.deliver(carrying(InSync.class));
    assertThat(stage.take(carrying(Replicated.class))).isNotEmpty();
    for (int i = 0; i < 10; i++) {
      stage.tickUntilResent();
      stage.deliverAll();
    }
    assertThat(answer.applied()).isTrue();
  }

  @Test
  void whatAnEarlierTermWroteIsAcknowledgedWhenTheNextOwnerHasItToo() {
    Stage stage = Stage.written(3, 1);
    order(stage, 0, 1);
    assertThat(report(stage).ready()).as("nothing was written yet").isTrue();
    Answer answer = stage.put("k", "v");
    stage.deliver(stage.between(0, 1).negate());
    stage.take(stage.between(0, 1));
    SegmentTable second = withRow(stage, List.of(Tables.node(1)));
    stage.table = second;
    stage.install(second, 1);
    order(stage, 1, 2);
    assertThat(report(stage).ready()).as("it does not know of the cache").isTrue();
    stage.install(second, 0, 2, 3);
    for (int i = 0; i < 6; i++) {
      stage.deliver(stage.between(1, 2).or(carrying(CopyStateReport.class)).negate());
      stage.tick(60);
    }
    assertThat(stage.stored(1, "k")).isEqualTo("v");
    assertThat(answer.pending()).as("who is ready to be an owner is waited for").isTrue();
    stage.take(stage.between(1, 2));
    commit(stage, List.of(Tables.node(2)));
    deliverAndTick(stage);
    assertThat(stage.node(2).damages).isEmpty();
    assertThat(answer.applied()).isTrue();
    assertThat(stage.stored(2, "k")).isEqualTo("v");
  }

  @Test
  void anOwnerThatIsCopiedToInItsPlaceSeesNoGapIfAMutationOvertakesTheBeginning() {
    Stage stage = new Stage(3, 2, settings -> settings);
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k1", "v");
    stage.deliverAll();
    stage.put("k2", "v");
    stage.deliver(stage.between(0, 1).negate());
    stage.take(stage.between(0, 1));
    order(stage, 2);
    stage.deliver(stage.between(0, 2));
    commit(stage, List.of(Tables.node(2), Tables.node(1)));
    stage.deliver(carrying(BeginCopy.class).negate());
    stage.put("k3", "v");
    stage.deliver(carrying(BeginCopy.class).negate());
    assertThat(stage.sent).anyMatch(carrying(BeginCopy.class));
    assertThat(stage.node(1).damages).isEmpty();
    deliverAndTick(stage);
    assertThat(stage.stored(1, "k2")).isEqualTo("v");
    assertThat(stage.stored(1, "k3")).isEqualTo("v");
  }

  // ---- Helpers

  private static Stage filled(int dataNodes, int owners) {
    return filled(dataNodes, owners, owners);
  }

  private static Stage filled(int dataNodes, int configured, int owners) {
    Stage stage = new Stage(dataNodes, configured, settings -> settings);
    if (owners < configured) {
      stage.installEverywhere(
          withRow(stage, IntStream.range(0, owners).mapToObj(Tables::node).toList()));
    }
    stage.installEverywhere(Tables.written(stage.table));
    write(stage);
    return stage;
  }

  /** One entry, which goes to a learner with the order to begin. */
  private static Stage small() {
    Stage stage = new Stage(2, 2, settings -> settings);
    stage.installEverywhere(withRow(stage, List.of(Tables.node(0))));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k", "v");
    stage.deliverAll();
    return stage;
  }

  private static BeginCopy cutShort(Envelope envelope) {
    BeginCopy sound = (BeginCopy) envelope.message();
    byte[] entries = requireNonNull(sound.entries());
    return new BeginCopy(
        sound.cache(),
        sound.format(),
        sound.segment(),
        sound.epoch(),
        sound.segmentEpoch(),
        sound.copyNumber(),
        sound.sequence(),
        sound.term(),
        sound.beganUnder(),
        Arrays.copyOf(entries, entries.length - 1),
        sound.results());
  }

  private static void write(Stage stage) {
    for (int i = 0; i < MANY; i++) {
      stage.put("k" + i, "v".repeat(200));
      stage.deliverAll();
    }
  }

  private static void order(Stage stage, int destination) {
    order(stage, 0, destination);
  }

  private static void order(Stage stage, int source, int destination) {
    stage
        .node(source)
        .receive(
            Tables.COORDINATOR,
            new CopyOrder(
                stage.table.epoch(),
                List.of(new CopyOrder.Copy(1, 0, List.of(Tables.node(destination))))));
    tickTo(stage);
  }

  private static void tickTo(Stage stage) {
    stage.tick(1);
  }

  private static void deliverAndTick(Stage stage) {
    for (int i = 0; i < 6; i++) {
      stage.deliver(carrying(CopyStateReport.class).negate());
      stage.tick(60);
    }
    stage.deliver(carrying(CopyStateReport.class).negate());
  }

  private static CopyStateReport.CopyState report(Stage stage) {
    return stage.sent.stream()
        .filter(carrying(CopyStateReport.class))
        .map(envelope -> ((CopyStateReport) envelope.message()).states().get(0))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private static SegmentTable withRow(Stage stage, List<NodeId> row) {
    return Tables.withRows(stage.table, Map.of(0, row));
  }

  private static void commit(Stage stage, List<NodeId> row) {
    SegmentTable newer = withRow(stage, row);
    stage.table = newer;
    stage.nodes.forEach(node -> node.exchange.tableChanged(newer, new int[] {0}));
  }

  private static Replica replica(Stage stage, int index) {
    return stage.node(index).exchange.lanes().store(Stage.CACHE).replica(0);
  }
}
