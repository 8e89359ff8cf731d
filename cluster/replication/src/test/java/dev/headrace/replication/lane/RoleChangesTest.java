package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.stream.Transport;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import org.junit.jupiter.api.Test;

/** A lane whose change fails holds up no other, and leaves nothing that would never end. */
class RoleChangesTest {
  private static final String CACHE = "c";
  private static final Transport BROKEN =
      (to, message) -> {
        throw new IllegalStateException("nothing is sent to " + to);
      };

  @Test
  void aLaneThatFailsIsNotWaitedFor() {
    SegmentTable unwritten = Tables.unwritten(2, 0, 4, 2); // every other primary is here
    Lanes lanes =
        new Lanes(
            LaneSettings.of(Tables.node(0), 1),
            MemoryBudget.unlimited(),
            space -> new SegmentStore(space, () -> 1, new StoreLimits(1 << 20)),
            BROKEN,
            CalmHost.NO_READS,
            new CalmHost(),
            () -> true);
    lanes.tableChanged(unwritten, null);
    for (int segment = 0; segment < 4; segment++) {
      lanes.visit(CACHE, segment, lane -> {});
    }
    while (lanes.changeRoles(1)) {
      // until all know the first table
    }
    lanes.tableChanged(Tables.written(unwritten), null);

    assertThatThrownBy(() -> lanes.changeRoles(1)).hasMessageContaining("nothing is sent");
    assertThat(lanes.changeRoles(1)).as("whether more are left").isTrue();
    assertThatThrownBy(() -> lanes.changeRoles(1)).hasMessageContaining("nothing is sent");
    assertThat(lanes.changeRoles(1)).as("whether more are left").isFalse();
    assertThat(lanes.owes()).isFalse();
  }
}
