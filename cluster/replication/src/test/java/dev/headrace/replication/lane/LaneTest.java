package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.Fills;
import dev.headrace.replication.copy.RunningFill;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.FillOrder;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Standing;
import dev.headrace.replication.role.FormerOwners;
import dev.headrace.replication.role.MemoryGate;
import dev.headrace.replication.role.Surroundings;
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

  private final SegmentTable table = Tables.sealed(Tables.unsealed(3, 0, 1, 2));
  private final Fills fills = new Fills(1 << 20);
  private final Surroundings around =
      new Surroundings(
          LaneSettings.of(SELF, 1),
          () -> true,
          fills,
          new FormerOwners(),
          new ResultMemory(),
          new MemoryGate(MemoryBudget.unlimited()),
          (segment, segmentEpoch) -> true);

  /** The owners of a segment reach its lane before they reach the node's fills. */
  @Test
  void anOwnerIsNotFilledBecauseTheFillThatMadeItOneHasNotEndedYet() {
    assertThat(chunksAfterTakingOffice(OTHER)).isZero();
  }

  @Test
  void whoIsNoOwnerIsFilledAsSoonAsThePrimaryServes() {
    assertThat(chunksAfterTakingOffice(Tables.node(2))).isPositive();
  }

  private long chunksAfterTakingOffice(NodeId destination) {
    fills.put(
        new RunningFill(
            new FillOrder.Fill(1, 0, List.of(destination)), SELF, table.segmentEpoch(0), 1));
    Holdings holdings = Holdings.of(null, table, SELF);
    CacheSegments cache =
        new CacheSegments(
            "c", new SegmentStore(holdings.space(), () -> 1, StoreLimits.DEFAULT), around);
    Turn turn = new Turn(1);
    Lane lane = cache.lane(0);
    lane.adopt(holdings, turn);
    lane.history(OTHER, emptyHistory(), turn);
    assertThat(lane.servingPrimary()).isNotNull();
    return IntStream.range(0, turn.size())
        .<Message>mapToObj(turn::message)
        .filter(Chunk.class::isInstance)
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
