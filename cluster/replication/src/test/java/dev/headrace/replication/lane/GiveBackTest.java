package dev.headrace.replication.lane;

import static dev.headrace.replication.lane.Stage.carrying;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A table makes a node the primary that has no copy, or only the beginning of one. */
class GiveBackTest {
  private static final int MANY = 200;

  @Test
  void theSegmentGoesBackToWhoHasEverything() {
    Stage stage = owned();
    own(stage, Tables.node(1));
    settle(stage);
    assertThat(stage.node(1).keepers).containsExactly(Map.entry(0, Tables.node(0)));
    own(stage, Tables.node(0), Tables.node(1));
    settle(stage);
    Answer answer = stage.put("after", "it");
    settle(stage);
    assertThat(answer.applied()).isTrue();
    for (int node : new int[] {0, 1}) {
      assertThat(stage.stored(node, "k3")).isEqualTo("v");
      assertThat(stage.stored(node, "after")).isEqualTo("it");
    }
  }

  @Test
  void theAppealIsRepeatedUntilItIsHeard() {
    Stage stage = owned();
    own(stage, Tables.node(1));
    settle(stage);
    stage.node(1).keepers.clear();
    stage.tickUntilResent();
    settle(stage);
    assertThat(stage.node(1).keepers).containsKey(0);
    assertThat(stage.node(1).damages).as("told to people").hasSize(1);
  }

  @Test
  void aCopyThatTheOthersHistoriesCompleteIsKept() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "v");
    stage.deliverAll();
    own(stage, Tables.node(1), Tables.node(0));
    settle(stage);
    assertThat(stage.node(1).keepers).isEmpty();
    assertThat(stage.put("k", "w").pending()).isTrue();
    settle(stage);
    assertThat(stage.stored(1, "k")).isEqualTo("w");
  }

  @Test
  void whatOneDoesNotHaveOfTheHistoryAnotherMayHaveThatIsAsFar() {
    Stage stage = new Stage(3, 2, settings -> settings);
    own(stage, Tables.node(0));
    stage.installEverywhere(Tables.written(stage.table));
    stage.put("k3", "v");
    stage.deliverAll();
    List<NodeId> learners = List.of(Tables.node(2), Tables.node(1));
    CopyOrder.Copy copyNumber = new CopyOrder.Copy(1, 0, learners);
    stage
        .node(0)
        .receive(Tables.COORDINATOR, new CopyOrder(stage.table.epoch(), List.of(copyNumber)));
    stage.take(stage.between(0, 1));
    stage.deliverAll();
    stage.put("late", "it");
    stage.deliver(carrying(Replicate.class).negate());
    stage.take(carrying(Replicate.class));
    stage.tickUntilResent();
    stage.deliver(carrying(Replicate.class).negate());
    stage.take(carrying(Replicate.class));
    own(stage, Tables.node(2), Tables.node(1));
    settle(stage);
    assertThat(stage.node(2).keepers).isEmpty();
    assertThat(stage.stored(2, "late")).isEqualTo("it");
    assertThat(stage.stored(1, "late")).isEqualTo("it");
  }

  /** Node 0 owns the segment alone and has forgotten the beginning of its history. */
  private static Stage owned() {
    Stage stage = new Stage(2, 2, settings -> settings);
    stage.installEverywhere(Tables.withRows(stage.table, Map.of(0, List.of(Tables.node(0)))));
    stage.installEverywhere(Tables.written(stage.table));
    for (int i = 0; i < MANY; i++) {
      stage.put("k" + i, "v");
      stage.deliverAll();
    }
    return stage;
  }

  private static void own(Stage stage, NodeId... owners) {
    stage.installEverywhere(Tables.withRows(stage.table, Map.of(0, List.of(owners))));
  }

  private static void settle(Stage stage) {
    for (int i = 0; i < 8; i++) {
      stage.deliverAll();
      stage.tick(60);
    }
    stage.deliver(carrying(History.class).or(carrying(Replicated.class)).negate());
  }
}
