package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.role.MemoryGate;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MemoryGateTest {
  private static final long LIMIT = 1 << 20;
  private static final long SECOND = 1_000_000_000L;

  private final SegmentTable table = Tables.written(Tables.unwritten(3, 1, 1, 2));
  private final NodeId self = Tables.node(0);
  private final NodeId backup = Tables.node(1);
  private final MemoryBudget budget = new MemoryBudget(LIMIT);
  private final MemoryGate gate = new MemoryGate(budget);
  private final List<NodeId> told = new ArrayList<>();

  private void tick(long nowNanos) {
    gate.tick(nowNanos, self, table, (to, message) -> record(to, message));
  }

  private void record(NodeId to, Message message) {
    assertThat(message).isInstanceOf(MemoryNotice.class);
    told.add(to);
  }

  @Test
  void aCopyTakesRoomUntilItsDestinationTellsWhatItUsesThen() {
    gate.heard(backup, new MemoryNotice(0, LIMIT));
    long room = gate.roomBytes(backup);
    gate.copied(backup, LIMIT / 4);
    assertThat(gate.roomBytes(backup)).isEqualTo(room - LIMIT / 4);
    gate.heard(backup, new MemoryNotice(LIMIT / 4, LIMIT));
    assertThat(gate.roomBytes(backup)).isEqualTo(room - LIMIT / 4);
  }

  @Test
  void anOwnerThatIsNotHeardOfHasRoom() {
    assertThat(gate.fullOwner(table, 0, 1, 1000)).isNull();
    assertThat(gate.roomBytes(backup)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whatAnOwnerHasNoRoomForIsRefused() {
    gate.heard(backup, new MemoryNotice(LIMIT, LIMIT));
    assertThat(gate.fullOwner(table, 0, 1, 1)).isEqualTo(backup);
    gate.heard(backup, new MemoryNotice(LIMIT / 4, LIMIT));
    assertThat(gate.fullOwner(table, 0, 1, 1)).isNull();
  }

  @Test
  void aNodeThatIsNoOwnerDoesNotMatter() {
    gate.heard(Tables.node(2), new MemoryNotice(LIMIT, LIMIT));
    assertThat(gate.fullOwner(table, 0, 1, 1)).isNull();
  }

  @Test
  void whatWasLetInSinceTheLastNoticeCounts() {
    gate.heard(backup, new MemoryNotice(LIMIT * 7 / 8, LIMIT));
    int admitted = 0;
    while (gate.fullOwner(table, 0, 1, 1000) == null) {
      admitted++;
    }
    assertThat(admitted).isBetween(50, (int) (LIMIT / 16 / 1000));
    gate.heard(backup, new MemoryNotice(LIMIT * 7 / 8, LIMIT));
    assertThat(gate.fullOwner(table, 0, 1, 1000)).isNull();
  }

  @Test
  void whatASilentNodeHasToldIsForgotten() {
    tick(0);
    gate.heard(backup, new MemoryNotice(LIMIT, LIMIT));
    tick(4 * SECOND);
    assertThat(gate.fullOwner(table, 0, 1, 1)).isNotNull();
    tick(6 * SECOND);
    assertThat(gate.fullOwner(table, 0, 1, 1)).isNull();
  }

  @Test
  void theOthersAreToldOnceASecondAndWhenMuchHasChanged() {
    tick(1);
    assertThat(told).as("everybody else, when the members are new").hasSize(3);
    tick(SECOND / 2);
    assertThat(told).hasSize(3);
    tick(SECOND + 1);
    assertThat(told).hasSize(6);
    SegmentStore store =
        new SegmentStore(new HashSpace(1, 1), () -> 0, StoreLimits.DEFAULT, budget);
    Replica replica = store.open(0, 0, ReplicaState.OWNER);
    replica.put(5, new byte[] {1}, new byte[100_000], 1, 1, 0);
    tick(SECOND + 2);
    assertThat(told).hasSize(9);
    assertThat(gate.own().usedBytes()).isGreaterThan(100_000);
  }

  @Test
  void whoHasNoLimitTellsNothing() {
    MemoryGate unlimited = new MemoryGate(MemoryBudget.unlimited());
    unlimited.tick(1, self, table, this::record);
    assertThat(told).isEmpty();
  }
}
