package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.SimulatedReads.RangeAnswer;
import dev.headrace.replication.lane.SimulatedReads.RangeQuestion;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.Operation;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a source makes of the orders that it gets. */
class CopyOrderTest {

  @Test
  void allNewOwnersOfASegmentAreCopiedToAtTheSameTime() {
    Stage stage = begun(3, settings -> settings);
    order(stage, stage.table.epoch(), 1, 1, 2);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).singleElement().matches(CopyStateReport.CopyState::ready);
    stage.table =
        Tables.withRows(
            stage.table, Map.of(0, List.of(Tables.node(1), Tables.node(0), Tables.node(2))));
    stage.nodes.forEach(node -> node.exchange.tableChanged(stage.table, new int[] {0}));
    stage.deliverAll();
    for (int node = 0; node < 3; node++) {
      assertThat(stage.stored(node, "k7")).isEqualTo("v");
    }
  }

  @Test
  void aCopyIsReportedWithoutATick() {
    Stage stage = begun(2, settings -> settings);
    order(stage, stage.table.epoch(), 1, 1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).singleElement().matches(CopyStateReport.CopyState::ready);
  }

  @Test
  void whoIsBusyCopiesOneSegmentAtATimeAndTheEndangeredOnesAtOnce() {
    int segments = 8;
    Stage stage = new Stage(3, segments, 2, settings -> settings);
    Map<Integer, List<NodeId>> rows = new HashMap<>();
    for (int segment = 0; segment < segments; segment++) {
      List<NodeId> row = List.of(Tables.node(0), Tables.node(1));
      rows.put(segment, segment == segments - 1 ? row.subList(0, 1) : row);
    }
    stage.installEverywhere(Tables.withRows(stage.table, rows));
    stage.installEverywhere(Tables.written(stage.table));
    for (int i = 0; i < 100; i++) {
      stage.put("k" + i, "v");
    }
    stage.deliverAll();
    stage.node(0).busy = true;
    List<CopyOrder.Copy> runningCopies =
        IntStream.range(0, segments)
            .mapToObj(segment -> new CopyOrder.Copy(segment, segment, List.of(Tables.node(2))))
            .toList();
    stage.node(0).receive(Tables.COORDINATOR, new CopyOrder(stage.table.epoch(), runningCopies));
    assertThat(stage.sent.stream().filter(carrying(BeginCopy.class)))
        .extracting(envelope -> ((BeginCopy) envelope.message()).segment())
        .as("one, and the one that has no backup")
        .containsExactly(0, segments - 1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).hasSize(segments).allMatch(CopyStateReport.CopyState::ready);
  }

  @Test
  void anOrderToBeginThatComesBeforeItsTableIsKept() {
    Stage stage = begun(3, settings -> settings);
    int[] changed = {0};
    SegmentTable swapped =
        Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(0), Tables.node(1))));
    stage.table = swapped;
    stage.nodes.subList(0, 2).forEach(node -> node.exchange.tableChanged(swapped, changed));
    stage.deliver(carrying(CopyStateReport.class).negate());
    order(stage, stage.table.epoch(), 1, 2);
    stage.deliver(carrying(BeginCopy.class));
    assertThat(stage.sent.stream().filter(carrying(CopyStateReport.class))).isEmpty();
    stage.node(2).exchange.tableChanged(swapped, changed);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).singleElement().matches(CopyStateReport.CopyState::ready);
  }

  @Test
  void aLaneThatFoundNoRoomReadsWhenOthersHaveRead() {
    Stage stage = begun(2, settings -> settings.withCopies(1, 0));
    stage.submit(
        Request.set(Operation.Kind.PUT, "other", 0, Stage.bytes("k"), Stage.bytes("v"), 0, false));
    stage.deliverAll();
    order(stage, stage.table.epoch(), 1, 1);
    stage.deliver(carrying(BeginCopy.class));
    stage.take(carrying(RangeQuestion.class)).forEach(stage::hand);
    stage.take(carrying(RangeAnswer.class)).forEach(stage::hand);
    assertThat(stage.sent.stream().filter(carrying(RangeQuestion.class)))
        .as("a range that is larger than there is room for several")
        .hasSize(1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).singleElement().matches(CopyStateReport.CopyState::ready);
  }

  @Test
  void anOrderThatWaitedForItsTableDoesNotTakeTheePlaceOfANewerOne() {
    Stage stage = begun(3, settings -> settings);
    order(stage, stage.table.epoch() + 1, 1, 1);
    assertThat(stage.sent).noneMatch(carrying(BeginCopy.class));
    stage.table = Tables.withRows(stage.table, Map.of());
    stage.nodes.forEach(node -> node.exchange.tableChanged(stage.table, new int[0]));
    order(stage, stage.table.epoch(), 2, 2);
    stage.tick(1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    assertThat(reports(stage)).last().matches(state -> state.ready() && state.migration() == 2);
  }

  @Test
  void whatAnotherRebalancerHasBegunGoesOnUnderANewName() {
    Stage stage = begun(2, settings -> settings);
    order(stage, stage.table.epoch(), 1, 1);
    stage.deliver(carrying(CopyStateReport.class).negate());
    order(stage, stage.table.epoch(), 2, 1);
    assertThat(stage.sent).as("nothing is copied again").noneMatch(carrying(BeginCopy.class));
    assertThat(reports(stage)).last().matches(state -> state.ready() && state.migration() == 2);
  }

  /** Node 0 owns the segment alone, and some entries are in it. */
  private static Stage begun(int dataNodes, UnaryOperator<LaneSettings> adjustment) {
    Stage stage = new Stage(dataNodes, dataNodes, adjustment);
    stage.installEverywhere(Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(0)))));
    stage.installEverywhere(Tables.written(stage.table));
    for (int i = 0; i < 20; i++) {
      stage.put("k" + i, "v");
      stage.deliverAll();
    }
    return stage;
  }

  private static void order(Stage stage, long epoch, long migration, int... destinations) {
    List<NodeId> nodes = IntStream.of(destinations).mapToObj(Tables::node).toList();
    CopyOrder order = new CopyOrder(epoch, List.of(new CopyOrder.Copy(migration, 0, nodes)));
    stage.node(0).receive(Tables.COORDINATOR, order);
  }

  private static List<CopyStateReport.CopyState> reports(Stage stage) {
    return stage.sent.stream()
        .filter(carrying(CopyStateReport.class))
        .flatMap(envelope -> ((CopyStateReport) envelope.message()).states().stream())
        .toList();
  }
}
