package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.SimulatedReads.RangeAnswer;
import dev.headrace.replication.lane.SimulatedReads.RangeQuestion;
import dev.headrace.replication.lane.Stage.Envelope;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Replicate;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a learner reads of its primary, whatever becomes of its questions and their answers. */
class RangeReadsTest {
  private static final int KEYS = 40;
  private static final int SMALL_RANGE_BYTES = 200;

  @Test
  void aSmallSegmentIsReadAtOnce() {
    Stage stage = begun(settings -> settings);
    List<Envelope> questions = asked(stage);
    assertThat(questions).hasSize(1);
    stage.deliver(carrying(RangeQuestion.class).or(carrying(RangeAnswer.class)));
    assertThat(stage.sent).noneMatch(carrying(RangeQuestion.class));
    assertReady(stage);
  }

  @Test
  void theEntriesOfASmallSegmentComeWithTheOrderToBegin() {
    Stage stage = begun(new Stage(2, 2, settings -> settings));
    long bytes = bytes(stage);
    stage.put("k5", "newer");
    stage.deliver(carrying(BeginCopy.class));
    assertThat(stage.sent).noneMatch(carrying(RangeQuestion.class));
    assertThat(stage.stored(1, "k5")).as("as of the beginning").isEqualTo("v5");
    assertThat(stage.stored(1, "k7")).isEqualTo("v7");
    assertCompletes(stage);
    assertThat(stage.stored(1, "k5")).isEqualTo("newer");
    assertThat(reports(stage).get(0).copiedBytes()).isEqualTo(bytes);
  }

  @Test
  void aSegmentThatIsALittleLargerIsRead() {
    int bytes = (int) bytes(begun(new Stage(2, 2, settings -> settings)));
    Stage stage =
        begun(new Stage(2, 2, settings -> settings.withCopies(settings.rangeBytes(), bytes - 1)));
    assertThat(asked(stage)).hasSize(1);
    assertCompletes(stage);
  }

  @Test
  void aClusterWithNodesThatDoNotKnowTheFormReadsAll() {
    Stage stage = new Stage(2, 2, settings -> settings);
    stage.table = Tables.speaking(stage.table, BeginCopy.CARRYING_PROTOCOL - 1);
    assertThat(asked(begun(stage))).hasSize(1);
    assertCompletes(stage);
  }

  @Test
  void anEmptySegmentNeedsNoQuestion() {
    Stage stage = new Stage(2, 2, settings -> settings);
    stage.installEverywhere(withOwners(stage, 0));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k", "v");
    stage.deliverAll();
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k"), false));
    stage.deliverAll();
    order(stage, 0);
    stage.deliver(carrying(BeginCopy.class));
    assertThat(stage.sent).noneMatch(carrying(RangeQuestion.class));
    assertReady(stage);
  }

  @Test
  void aLargeSegmentIsReadRangeByRangeAlongTheCursor() {
    Stage stage = begun(settings -> settings.withCopies(SMALL_RANGE_BYTES, 0));
    assertCompletes(stage);
    for (int i = 0; i < KEYS; i++) {
      assertThat(stage.stored(1, "k" + i)).isEqualTo("v" + i);
    }
  }

  @Test
  void anEntryThatIsLargerThanARangeIsAskedForWithItsSize() {
    Stage stage = begun(settings -> settings.withCopies(1, 0));
    assertCompletes(stage);
    assertThat(stage.stored(1, "k7")).isEqualTo("v7");
  }

  @Test
  void whatIsRemovedWhileARangeIsOnItsWayIsNotBroughtBack() {
    Stage stage = begun(settings -> settings);
    Envelope answer = answered(stage);
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k5"), false));
    stage.put("k6", "newer");
    stage.deliver(carrying(RangeAnswer.class).negate());
    stage.hand(answer);
    assertCompletes(stage);
    assertThat(stage.stored(1, "k5")).isNull();
    assertThat(stage.stored(1, "k6")).isEqualTo("newer");
    assertThat(stage.stored(1, "k7")).isEqualTo("v7");
  }

  @Test
  void whatWasClearedWhileARangeIsOnItsWayIsNotBroughtBack() {
    Stage stage = begun(settings -> settings);
    Envelope answer = answered(stage);
    stage.submit(Request.clear(Stage.CACHE, 0, 0));
    stage.deliver(carrying(RangeAnswer.class).negate());
    stage.put("k6", "newer");
    stage.deliver(carrying(RangeAnswer.class).negate());
    stage.hand(answer);
    assertCompletes(stage);
    assertThat(stage.stored(1, "k5")).isNull();
    assertThat(stage.stored(1, "k6")).isEqualTo("newer");
  }

  @Test
  void aCopyIsNotCompleteBeforeTheMutationsThatItsRangesMayContain() {
    Stage stage = begun(settings -> settings);
    stage.deliver(carrying(BeginCopy.class).or(carrying(Learned.class)));
    stage.put("k5", "newer");
    stage.deliver(stage.to(0).and(carrying(RangeQuestion.class).negate()));
    List<Envelope> late = stage.take(carrying(Replicate.class));
    assertThat(late).isNotEmpty();
    stage.deliver(carrying(RangeQuestion.class).or(carrying(RangeAnswer.class)));
    assertThat(stage.stored(1, "k5")).as("the range contains it").isEqualTo("newer");
    stage.tickUntilResent();
    stage.tick(5 * Stage.RESEND_MILLIS);
    List<Envelope> told = stage.take(carrying(Learned.class));
    assertThat(told)
        .as("but the history does not")
        .isNotEmpty()
        .noneMatch(envelope -> ((Learned) envelope.message()).complete());
    late.forEach(stage::hand);
    settle(stage);
    assertReady(stage);
  }

  @Test
  void aLostQuestionIsAskedAgain() {
    Stage stage = begun(settings -> settings);
    assertThat(lost(stage, RangeQuestion.class)).isNotEmpty();
    assertThat(asked(stage)).isNotEmpty();
    settle(stage);
    assertReady(stage);
  }

  @Test
  void aLostAnswerIsAskedForAgain() {
    Stage stage = begun(settings -> settings);
    asked(stage);
    stage.deliver(carrying(RangeQuestion.class));
    assertThat(lost(stage, RangeAnswer.class)).isNotEmpty();
    settle(stage);
    assertReady(stage);
  }

  @Test
  void aLostAnswerIsAskedForAgainWhileWritesGoOn() {
    Stage stage = begun(settings -> settings);
    asked(stage);
    stage.take(carrying(RangeQuestion.class));
    for (int i = 0; i < 30; i++) {
      stage.put("w" + i, "while");
      stage.tick(60);
      stage.deliver(carrying(CopyStateReport.class).negate());
    }
    assertReady(stage);
  }

  @Test
  void aRefusedQuestionIsAskedAgainAfterAWhileOnly() {
    Stage stage = begun(settings -> settings);
    asked(stage);
    stage.node(1).exchange.reads().disconnected(stage.id(0));
    stage.take(carrying(RangeQuestion.class));
    stage.tick(1);
    assertThat(asked(stage)).as("at once").isEmpty();
    stage.tickUntilResent();
    assertThat(asked(stage)).isNotEmpty();
    settle(stage);
    assertReady(stage);
  }

  @Test
  void anAnswerThatComesLateOrTwiceIsTakenOnce() {
    Stage stage = begun(settings -> settings.withCopies(SMALL_RANGE_BYTES, 0));
    Envelope slow = answered(stage);
    waitInVain(stage);
    Envelope second = answered(stage);
    stage.hand(slow);
    stage.put("k5", "newer");
    stage.deliver(carrying(Replicate.class).or(stage.to(0)).and(carrying(Learned.class).negate()));
    stage.hand(second);
    stage.hand(slow);
    settle(stage);
    stage.hand(second);
    assertReady(stage);
    takesOver(stage);
    assertThat(stage.stored(1, "k5")).isEqualTo("newer");
  }

  @Test
  void anAnswerOfAnEarlierCopyIsIgnored() {
    Stage stage = begun(settings -> settings);
    Envelope early = answered(stage);
    stage.node(0).receive(Tables.COORDINATOR, new CopyCancel(List.of(1L)));
    settle(stage);
    stage.submit(Request.remove(Stage.CACHE, 0, Stage.bytes("k5"), false));
    stage.deliverAll();
    stage.put("k9", "newest");
    stage.deliverAll();
    order(stage, 0);
    stage.deliver(carrying(BeginCopy.class));
    stage.hand(early);
    assertThat(stage.stored(1, "k6")).as("nothing is taken").isNull();
    assertCompletes(stage);
    assertThat(stage.stored(1, "k5")).isNull();
    assertThat(stage.stored(1, "k9")).isEqualTo("newest");
  }

  @Test
  void whatAFormerPrimaryReadsIsNotTaken() {
    Stage stage = begun(3, settings -> settings);
    asked(stage);
    SegmentTable newer = withOwners(stage, 2, 0);
    stage.node(0).exchange.tableChanged(newer, new int[] {0});
    stage.deliver(carrying(RangeQuestion.class).or(carrying(RangeAnswer.class)));
    assertThat(stage.stored(1, "k5")).isNull();
    waitInVain(stage);
    stage.deliver(carrying(RangeQuestion.class).or(carrying(RangeAnswer.class)));
    assertThat(stage.stored(1, "k5")).isNull();
    stage.installEverywhere(newer);
    settle(stage);
    assertThat(stage.node(1).damages).isEmpty();
  }

  @Test
  void aPrimaryThatHasLostTheReplicaSaysSo() {
    Stage stage = begun(settings -> settings);
    asked(stage);
    stage.node(0).exchange.lanes().store(Stage.CACHE).drop(0);
    stage.deliver(carrying(RangeQuestion.class).or(carrying(RangeAnswer.class)));
    assertThat(stage.stored(1, "k5")).isNull();
    assertThat(reports(stage)).isEmpty();
  }

  @Test
  void halfACopyIsLostWithItsPrimary() {
    Stage stage = begun(3, settings -> settings.withCopies(SMALL_RANGE_BYTES, 0));
    Envelope first = answered(stage);
    stage.hand(first);
    assertThat(asked(stage)).as("more is asked for").isNotEmpty();
    Envelope second = answered(stage);
    stage.crash(0);
    stage.installEverywhere(
        Tables.withRows(
            Tables.without(stage.table, Tables.node(0)), Map.of(0, List.of(Tables.node(2)))));
    stage.hand(second);
    settle(stage);
    for (int i = 0; i < KEYS; i++) {
      assertThat(stage.stored(1, "k" + i)).isNull();
    }
  }

  @Test
  void fewRangesAreOnTheirWayAndAllLanesHaveTheirTurn() {
    int segments = 3 * RangeReads.MAX_RANGES;
    Stage stage = manySegments(segments);
    orderAll(stage, segments);
    stage.deliver(carrying(BeginCopy.class));
    assertThat(asked(stage)).hasSize(RangeReads.MAX_RANGES);
    stage.node(1).exchange.reads().disconnected(stage.id(0));
    assertThat(asked(stage)).as("others have their turn").hasSize(2 * RangeReads.MAX_RANGES);
    stage.take(carrying(RangeQuestion.class));
    for (int i = 0; i < 30; i++) {
      stage.tickUntilResent();
      stage.deliver(carrying(CopyStateReport.class).negate());
    }
    assertThat(reports(stage)).hasSize(segments).allMatch(CopyStateReport.CopyState::ready);
  }

  @Test
  void learnersThatAreNotWantedAnyMoreGiveTheirRoomBack() {
    int segments = 2 * RangeReads.MAX_RANGES;
    Stage stage = manySegments(segments);
    orderAll(stage, segments);
    stage.deliver(carrying(BeginCopy.class));
    stage.take(carrying(RangeQuestion.class));
    List<Long> first = IntStream.range(0, RangeReads.MAX_RANGES).mapToObj(Long::valueOf).toList();
    stage.node(0).receive(Tables.COORDINATOR, new CopyCancel(first));
    stage.tick(1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).hasSize(RangeReads.MAX_RANGES);
  }

  @Test
  void aLearnerKeepsNoMoreOfTheHistoryThanAPrimary() {
    int most = 4;
    Stage stage = begun(settings -> settings.withBounds(most, 1 << 20, 4));
    Envelope answer = answered(stage);
    for (int i = 0; i < 5 * most; i++) {
      stage.put("k5", "newer" + i);
      stage.deliver(carrying(RangeAnswer.class).or(carrying(RangeQuestion.class)).negate());
    }
    assertThat(stage.node(1).exchange.lanes().load().mutations()).isLessThanOrEqualTo(most);
    stage.hand(answer);
    assertCompletes(stage);
    assertThat(stage.stored(1, "k5")).isEqualTo("newer" + (5 * most - 1));
  }

  /** As when a node has gone whose connection fails whatever is sent. */
  @Test
  void questionsThatFailAtOnceTakeNoStack() {
    int segments = 20_000;
    SegmentTable table = Tables.written(Tables.unwritten(2, 0, segments, 1));
    List<Integer> refused = new ArrayList<>();
    ReadPort broken =
        (node, request, handler) -> {
          refused.add(request.segments()[0]);
          handler.failed(new IllegalStateException("no connection"));
        };
    Lanes lanes =
        new Lanes(
            LaneSettings.of(Tables.node(1), 1),
            MemoryBudget.unlimited(),
            space -> new SegmentStore(space, () -> 1, StoreLimits.DEFAULT),
            (to, message) -> {},
            broken,
            new CalmHost(),
            () -> true);
    lanes.tick(1);
    lanes.tableChanged(table, null);
    int[] copied =
        IntStream.range(0, segments).filter(s -> table.isPrimary(s, Tables.node(0))).toArray();
    for (int segment : copied) {
      lanes.receive(
          Tables.node(0),
          new BeginCopy(
              "c",
              0,
              segment,
              table.epoch(),
              table.segmentEpoch(segment),
              1,
              1,
              table.epoch(),
              table.epoch(),
              null,
              List.of()));
    }
    assertThat(refused).hasSize(copied.length);
    for (int i = 0; i < 60; i++) {
      lanes.tick(1_000_000_000L + i);
    }
    assertThat(refused).as("each asked again").hasSizeGreaterThanOrEqualTo(2 * copied.length);
  }

  // ---- Helpers

  private static Stage begun(UnaryOperator<LaneSettings> adjustment) {
    return begun(2, adjustment);
  }

  /** Nothing comes along with the order to begin, however small a segment is. */
  private static LaneSettings reading(LaneSettings settings) {
    return settings.withCopies(settings.rangeBytes(), 0);
  }

  /** Node 0 owns some entries alone, and is about to copy them to node 1, which reads them. */
  private static Stage begun(int dataNodes, UnaryOperator<LaneSettings> adjustment) {
    return begun(new Stage(dataNodes, dataNodes, settings -> reading(adjustment.apply(settings))));
  }

  private static Stage begun(Stage stage) {
    stage.installEverywhere(withOwners(stage, 0));
    stage.installEverywhere(Tables.written(stage.table));
    for (int i = 0; i < KEYS; i++) {
      stage.put("k" + i, "v" + i);
      stage.deliverAll();
    }
    order(stage, 0);
    return stage;
  }

  /** What the segment of node 0 takes. */
  private static long bytes(Stage stage) {
    return stage.node(0).exchange.lanes().store(Stage.CACHE).replica(0).bytes();
  }

  private static Stage manySegments(int segments) {
    Stage stage = new Stage(2, segments, 1, RangeReadsTest::reading);
    List<NodeId> row = List.of(Tables.node(0));
    Map<Integer, List<NodeId>> rows =
        IntStream.range(0, segments)
            .boxed()
            .collect(Collectors.toMap(segment -> segment, segment -> row));
    stage.installEverywhere(Tables.withRows(stage.table, rows));
    stage.installEverywhere(Tables.written(stage.table));
    for (int i = 0; i < 20 * segments; i++) {
      stage.submit(Stage.set(Operation.Kind.PUT, "k" + i, "v"));
      stage.deliverAll();
    }
    return stage;
  }

  private static void order(Stage stage, int segment) {
    order(stage, List.of(new CopyOrder.Copy(1, segment, List.of(Tables.node(1)))));
  }

  private static void orderAll(Stage stage, int segments) {
    order(
        stage,
        IntStream.range(0, segments)
            .mapToObj(segment -> new CopyOrder.Copy(segment, segment, List.of(Tables.node(1))))
            .toList());
  }

  private static void order(Stage stage, List<CopyOrder.Copy> copies) {
    stage.node(0).receive(Tables.COORDINATOR, new CopyOrder(stage.table.epoch(), copies));
  }

  private static SegmentTable withOwners(Stage stage, int... owners) {
    return Tables.withRows(
        stage.table, Map.of(0, IntStream.of(owners).mapToObj(Tables::node).toList()));
  }

  /** The questions on their way, now that the learners have begun. */
  private static List<Envelope> asked(Stage stage) {
    stage.deliver(carrying(BeginCopy.class));
    return stage.sent.stream().filter(carrying(RangeQuestion.class)).toList();
  }

  /** Has the source answer, and takes the answer. */
  private static Envelope answered(Stage stage) {
    asked(stage);
    stage.deliver(carrying(RangeQuestion.class));
    return stage.take(carrying(RangeAnswer.class)).get(0);
  }

  private static List<Envelope> lost(Stage stage, Class<? extends Message> kind) {
    stage.deliver(carrying(BeginCopy.class));
    List<Envelope> lost = stage.take(carrying(kind));
    waitInVain(stage);
    return lost;
  }

  /** So long that a learner asks again. */
  private static void waitInVain(Stage stage) {
    for (int i = 0; i < 7; i++) {
      stage.tickUntilResent();
    }
  }

  private static void settle(Stage stage) {
    for (int i = 0; i < 6; i++) {
      stage.deliver(carrying(CopyStateReport.class).negate());
      stage.tickUntilResent();
    }
    stage.deliver(carrying(CopyStateReport.class).negate());
  }

  private static List<CopyStateReport.CopyState> reports(Stage stage) {
    return stage.sent.stream()
        .filter(carrying(CopyStateReport.class))
        .flatMap(envelope -> ((CopyStateReport) envelope.message()).states().stream())
        .toList();
  }

  /** The copy comes to its end, and its destination becomes the owner. */
  private static void assertCompletes(Stage stage) {
    settle(stage);
    assertReady(stage);
    takesOver(stage);
  }

  private static void assertReady(Stage stage) {
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).last().matches(CopyStateReport.CopyState::ready);
  }

  private static void takesOver(Stage stage) {
    stage.installEverywhere(withOwners(stage, 1));
    settle(stage);
    assertThat(stage.node(1).damages).isEmpty();
    assertThat(stage.node(1).exchange.lanes().store(Stage.CACHE).replica(0).state().readable())
        .isTrue();
  }
}
