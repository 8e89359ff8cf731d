package dev.headrace.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.Images;
import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurrentTableTest {
  private static final NodeId SELF = new NodeId(0, 1);

  private final CurrentTable current = new CurrentTable(SELF);
  private final List<String> ran = new ArrayList<>();

  private static SegmentTable table(long epoch) {
    Member member = new Member(SELF, "node", "localhost", 1, "", 1);
    TableHeader header = new TableHeader(Epoch.first(1, SELF) + epoch, 5, 0, 7, 1, 1, 1 << 20);
    return SegmentTable.of(header, List.of(member), new int[][] {{0}});
  }

  private void await(String name) {
    var unused = current.awaitNewerThan(table(1).epoch(), () -> ran.add(name));
  }

  @Test
  void whoWaitsGoesOnWithANewerTable() {
    Images.install(current, table(1));
    await("a");
    assertThat(ran).isEmpty();
    Images.install(current, table(2));
    assertThat(ran).containsExactly("a");
    await("b");
    assertThat(ran).containsExactly("a", "b");
    assertThat(current.waiting()).isZero();
  }

  @Test
  void whoWaitsGoesOnWhenTheNodeCloses() {
    Images.install(current, table(1));
    await("a");
    current.close();
    assertThat(ran).containsExactly("a");
    await("b");
    assertThat(ran).containsExactly("a", "b");
    assertThatThrownBy(current::view).isInstanceOf(NodeClosedException.class);
  }

  @Test
  void whoDoesNotWaitAnyMoreIsForgotten() {
    Images.install(current, table(1));
    Timer.Cancellable first = current.awaitNewerThan(table(1).epoch(), () -> ran.add("first"));
    await("second");
    first.cancel();
    first.cancel();
    assertThat(current.waiting()).isEqualTo(1);
    Images.install(current, table(2));
    assertThat(ran).containsExactly("second");
  }

  @Test
  void aTaskThatThrowsHoldsUpNobody() {
    Images.install(current, table(1));
    var unused =
        current.awaitNewerThan(
            table(1).epoch(),
            () -> {
              throw new AssertionError("a broken stream");
            });
    await("b");
    try (RecordedLog log = RecordedLog.of(CurrentTable.class)) {
      Images.install(current, table(2));
      assertThat(log.warnings()).containsExactly("A task that waited for a newer table failed");
    }
    assertThat(ran).containsExactly("b");
    assertThat(current.view()).isEqualTo(table(2));
  }
}
