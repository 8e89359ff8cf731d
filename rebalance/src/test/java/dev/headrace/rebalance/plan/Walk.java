package dev.headrace.rebalance.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes a plan's moves one after the other. */
final class Walk {

  private Walk() {}

  /**
   * Checks that every move is one step from the row before, that none lowers live replicas, and
   * that all together lead to the plan's rows.
   *
   * @return replicas that are copied
   */
  static int along(Plan plan, SegmentTable table) {
    Map<Integer, List<NodeId>> rows = new HashMap<>();
    for (int segment = 0; segment < table.segments(); segment++) {
      rows.put(segment, table.owners(segment));
    }
    int copies = 0;
    for (Move move : plan.moves()) {
      List<NodeId> before = rows.put(move.segment(), move.targetRow());
      assertIsOneStep(move, before, plan);
      copies += move.copies() ? 1 : 0;
    }
    for (int segment = 0; segment < table.segments(); segment++) {
      assertThat(rows.get(segment)).isEqualTo(plan.targetRow(segment));
    }
    return copies;
  }

  private static void assertIsOneStep(Move move, List<NodeId> before, Plan plan) {
    Set<NodeId> expected = new HashSet<>(before);
    if (before.isEmpty()) {
      assertThat(move.add()).isNull();
      assertThat(move.drop()).isNull();
      assertThat(move.targetRow()).isEqualTo(plan.targetRow(move.segment()));
      return;
    }
    if (move.add() != null) {
      assertThat(expected.add(move.add())).isTrue();
    }
    if (move.drop() != null) {
      assertThat(expected.remove(move.drop())).isTrue();
    }
    assertThat(new HashSet<>(move.targetRow())).isEqualTo(expected);
    assertThat(move.targetRow()).doesNotHaveDuplicates().isNotEqualTo(before);
    assertThat(move.targetRow().size())
        .isGreaterThanOrEqualTo(Math.min(before.size(), plan.targetRow(move.segment()).size()));
  }
}
