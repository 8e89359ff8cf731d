package dev.headrace.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of segments that have lost all their owners. */
class LossWarningTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private final SegmentTable table =
      SegmentTable.of(
          new TableHeader(10, 5, 6, 7, 5, 1, 100),
          List.of(
              new Member(ONE, "one", "localhost", 1, "", 1),
              new Member(TWO, "two", "localhost", 2, "", 1)),
          new int[][] {{0}, {1}, {0}, {1}, {0}});

  @Test
  void allSegmentsThatALossTookAreOneWarning() {
    TableDelta delta = table.edit(11).removeMembers(List.of(ONE)).delta();
    assertThat(LossWarning.describe(table, table.apply(delta), delta))
        .startsWith("3 of 5 segments have lost all their owners");
    assertThat(LossWarning.describe(table, table.apply(delta), TableDelta.fromNothing(table)))
        .startsWith("3 of 5");
  }

  @Test
  void whereNothingIsLostNothingIsSaid() {
    TableDelta delta = table.edit(11).owners(0, List.of(TWO)).delta();
    assertThat(LossWarning.describe(table, table.apply(delta), delta)).isNull();
    assertThat(LossWarning.describe(null, table, TableDelta.fromNothing(table))).isNull();
  }

  @Test
  void theLastNodeThatClosesLosesNothing() {
    TableDelta delta =
        table.edit(11).removeMembers(List.of(ONE)).removeMembers(List.of(TWO)).delta();
    assertThat(LossWarning.describe(table, table.apply(delta), delta)).isNull();
  }
}
