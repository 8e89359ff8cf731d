package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Stage.Answer;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.Primary;
import org.junit.jupiter.api.Test;

/** A change of roles that fails, as for want of memory, is made when it is tried again. */
class FailingRoleChangeTest {

  /** Without effects the new role cannot be made, when the old one has ended already. */
  @Test
  void aBackupThatCouldNotBecomePrimaryIsAsItWasAndThenBecomesIt() {
    Stage stage = Stage.written(2, 2);
    stage.put("k", "1");
    stage.deliverAll();
    SegmentTable before = stage.table;
    SegmentTable newer = Tables.without(before, Tables.node(0));
    LocalReplicas next = LocalReplicas.of(null, before, Tables.node(1)).next(newer, new int[] {0});
    Lane lane = lane(stage.node(1));

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> lane.adopt(next, null)).isInstanceOf(NullPointerException.class);
      assertThat(lane.role()).isInstanceOf(Backup.class);
      assertThat(lane.table()).isSameAs(before);
    }

    stage.crash(0);
    stage.install(newer, 1, 2);
    assertThat(lane.role()).isInstanceOf(Primary.class);
    Answer answer = stage.put("k", "2");
    for (int i = 0; i < 10 && answer.pending(); i++) {
      stage.deliverAll();
      stage.tickUntilResent();
    }
    assertThat(answer.applied()).isTrue();
    assertThat(answer.value()).isEqualTo("1");
  }

  @Test
  void aPrimaryThatCouldNotBeginServesWhenSomebodyAsksIt() {
    Stage stage = new Stage(1, 1, settings -> settings);
    LaneNode owner = stage.node(0);
    Lane lane = lane(owner);
    SegmentTable written = Tables.written(stage.table);
    owner.lease =
        () -> {
          throw new IllegalStateException("the lease cannot be told");
        };
    assertThatThrownBy(() -> stage.install(written, 0)).hasMessageContaining("the lease");
    assertThat(lane.role()).isInstanceOf(Primary.class);

    owner.lease = () -> true;
    stage.install(written, 1);
    Answer answer = stage.put("k", "1");
    for (int i = 0; i < 10 && answer.pending(); i++) {
      stage.deliverAll();
      stage.tickUntilResent();
    }
    assertThat(answer.applied()).isTrue();
  }

  private static Lane lane(LaneNode node) {
    Lane[] lane = new Lane[1];
    node.exchange.lanes().driver().drive(Stage.CACHE, 0, (driven, effects) -> lane[0] = driven);
    return lane[0];
  }
}
