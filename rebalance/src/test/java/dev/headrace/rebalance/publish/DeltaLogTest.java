package dev.headrace.rebalance.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which tables a node keeps. */
class DeltaLogTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private final DeltaLog log = new DeltaLog();

  @Test
  void forgetsTheOldestTablesBeyondANumber() {
    long first = begin(16);
    for (int i = 0; i < DeltaLog.MAX_STEPS; i++) {
      change(i % 16, 1);
      log.trim(Long.MAX_VALUE);
    }
    assertThat(log.has(first)).isFalse();
    assertThat(log.after(0)).hasSize(DeltaLog.MAX_STEPS);
    assertLeadsOn();
  }

  @Test
  void forgetsTheOldestTablesBeyondASumOfRows() {
    int segments = 2 * DeltaLog.MIN_ROWS;
    long first = begin(segments);
    int steps = 64;
    for (int i = 0; i < steps; i++) {
      change(i * (segments / steps), segments / steps);
      log.trim(Long.MAX_VALUE);
    }
    assertThat(log.has(first)).isFalse();
    assertThat(log.after(0)).hasSize(steps / 2 + 1);
    assertLeadsOn();
  }

  @Test
  void keepsWhatSomebodyNeeds() {
    int segments = 2 * DeltaLog.MIN_ROWS;
    long first = begin(segments);
    int steps = 64;
    for (int i = 0; i < steps; i++) {
      change(i * (segments / steps), segments / steps);
      log.trim(first);
    }
    assertThat(log.after(0)).hasSize(steps + 1);
    log.trim(Long.MAX_VALUE);
    assertThat(log.after(0)).hasSize(steps / 2 + 1);
  }

  /** The deltas from the oldest kept table on make the newest one. */
  private void assertLeadsOn() {
    DeltaLog.Step oldest = log.after(0).get(0);
    SegmentTable table = oldest.table();
    for (TableDelta delta : log.deltasAfter(table.epoch(), Integer.MAX_VALUE)) {
      table = table.apply(delta);
    }
    assertThat(table).isEqualTo(log.newest());
  }

  private long begin(int segments) {
    List<Member> members =
        List.of(
            new Member(ONE, "one", "localhost", 1, "", 1),
            new Member(TWO, "two", "localhost", 2, "", 1));
    int[][] rows = new int[segments][];
    Arrays.fill(rows, new int[] {0});
    SegmentTable image =
        SegmentTable.of(new TableHeader(10, 5, 6, 7, segments, 1, 100), members, rows);
    log.begin(image);
    return image.epoch();
  }

  /** Gives some segments that follow each other to the other node. */
  private void change(int first, int count) {
    SegmentTable table = Objects.requireNonNull(log.newest());
    TableEdit edit = table.edit(table.epoch() + 1);
    for (int segment = first; segment < first + count; segment++) {
      edit.owners(segment, List.of(table.isOwner(segment, ONE) ? TWO : ONE));
    }
    log.append(edit.delta());
  }
}
