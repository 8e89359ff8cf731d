package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations that come to an owner before the table that they were sent by. */
class EarlyOperationsTest {
  private static final String LARGE = "x".repeat(900);
  private static final int CALLER = 2;

  /** Node 1 is the new primary, which only the caller knows. */
  private static Stage stage() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "first");
    stage.deliverAll();
    return stage;
  }

  @Test
  void areKeptHoweverOftenTheLaneLooksAtThem() {
    Stage stage = stage();
    SegmentTable rotated = Tables.rotated(stage.table);
    stage.install(rotated, CALLER);
    Answer one = stage.put("one", LARGE);
    Answer two = stage.put("two", LARGE);
    stage.deliver(Stage.carrying(Operation.class));
    for (int i = 0; i < 2 * LaneSettings.MAX_WAITING_BYTES / LARGE.length(); i++) {
      stage.tick(0);
    }
    stage.install(rotated, 0, 1);
    stage.deliverAll();
    assertThat(List.of(one.applied(), two.applied()))
        .as("carried out without being sent again")
        .containsExactly(true, true);
  }

  @Test
  void areRefusedWhenThereAreTooMany() {
    Stage stage = stage();
    stage.install(Tables.rotated(stage.table), CALLER);
    for (int i = 0; i < 6; i++) { // of which four have room
      stage.put("k" + i, LARGE);
    }
    stage.deliver(Stage.carrying(Operation.class));
    assertThat(stage.take(Stage.carrying(OperationReply.class)))
        .hasSize(2)
        .allMatch(
            sent -> ((OperationReply) sent.message()).outcome() == OperationReply.Outcome.STALE);
  }
}
