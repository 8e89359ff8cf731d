package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.ChangeRetention;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Standing;
import dev.headrace.replication.role.FormerOwners;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.LeaseCheck;
import dev.headrace.replication.role.MemoryGate;
import dev.headrace.replication.role.NoRole;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a lane does between two events that usually come together. */
class LaneTest {
  private static final NodeId SELF = Tables.node(0);
  private static final NodeId OTHER = Tables.node(1);

  private final SegmentTable table = Tables.written(Tables.unwritten(3, 0, 1, 2));
  private final RunningCopies runningCopies = new RunningCopies();
  private final LaneContext around =
      new LaneContext(
          LaneSettings.of(SELF, 1),
          new LeaseCheck(() -> true, () -> table),
          runningCopies,
          new FormerOwners(),
          new ResultMemory(),
          new ChangeRetention(1 << 20, false),
          new MemoryGate(MemoryBudget.unlimited()),
          (segment, segmentEpoch) -> true);

  /** The owners of a segment reach its lane before they reach the node's copies. */
  @Test
  void anOwnerIsNotCopiedToBecauseTheCopyThatMadeItOneHasNotEndedYet() {
    assertThat(copiesAfterBecomingPrimary(OTHER)).isZero();
  }

  @Test
  void whoIsNoOwnerIsCopiedToAsSoonAsThePrimaryServes() {
    assertThat(copiesAfterBecomingPrimary(Tables.node(2))).isPositive();
  }

  /** Something may still be under way to a lane when its node has changed to another cluster. */
  @Test
  void aLaneThatHasRetiredFollowsNoTable() {
    LocalReplicas local = LocalReplicas.of(null, table, SELF);
    CacheSegments cache = cache(local);
    Lane lane = cache.lane(0);
    Effects effects = new Effects(1);
    lane.adopt(local, effects);
    lane.retire();
    int before = effects.size();

    LocalReplicas others =
        LocalReplicas.of(local, Tables.written(Tables.unwritten(3, 0, 1, 2)), SELF);
    assertThat(lane.isBehind(others)).isFalse();
    lane.adopt(others, effects);
    assertThat(lane.role()).isInstanceOf(NoRole.class);
    assertThat(effects.size()).isEqualTo(before);
    assertThat(cache.store().replica(0)).isNull();
  }

  private CacheSegments cache(LocalReplicas local) {
    return new CacheSegments(
        "c", new SegmentStore(local.space(), () -> 1, StoreLimits.DEFAULT), around);
  }

  private long copiesAfterBecomingPrimary(NodeId destination) {
    runningCopies.put(
        new RunningCopy(
            new CopyOrder.Copy(1, 0, List.of(destination)), SELF, table.segmentEpoch(0), 1));
    LocalReplicas local = LocalReplicas.of(null, table, SELF);
    Effects effects = new Effects(1);
    Lane lane = cache(local).lane(0);
    lane.adopt(local, effects);
    lane.receive(OTHER, emptyHistory(), effects);
    assertThat(lane.servingPrimary()).isNotNull();
    return IntStream.range(0, effects.size())
        .<Message>mapToObj(effects::message)
        .filter(BeginCopy.class::isInstance)
        .count();
  }

  private History emptyHistory() {
    return new History(
        "c",
        0,
        0,
        table.epoch(),
        table.segmentEpoch(0),
        0,
        0,
        0,
        Standing.NONE,
        List.of(),
        0,
        List.of());
  }
}
