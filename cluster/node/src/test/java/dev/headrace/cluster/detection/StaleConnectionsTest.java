package dev.headrace.cluster.detection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.node.Images;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StaleConnectionsTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId OTHER = new NodeId(1, 2);
  private static final NodeId THIRD = new NodeId(1, 3);

  private static final int[][] ROWS = {{0}};

  private final List<NodeId> forgotten = new ArrayList<>();
  private final StaleConnections connections = new StaleConnections(forgotten::add);

  @Test
  void onlyWhoComesBackGetsNewConnections() {
    show(SELF);
    show(SELF, OTHER);
    show(SELF, OTHER, THIRD);
    assertThat(forgotten).isEmpty();

    show(SELF, THIRD);
    assertThat(forgotten).isEmpty();
    show(SELF, THIRD, OTHER);
    assertThat(forgotten).containsExactly(OTHER);
    show(SELF, THIRD, OTHER);
    assertThat(forgotten).containsExactly(OTHER);
  }

  @Test
  void whoLeavesTheTableLosesItsConnections() {
    TableHeader header = new TableHeader(Epoch.first(1, SELF), 5, 0, 7, 1, 1, 1 << 20);
    SegmentTable table = SegmentTable.of(header, List.of(member(SELF), member(OTHER)), ROWS);
    Images.install(connections, table);
    assertThat(forgotten).isEmpty();
    Images.install(connections, table.withoutMembers(table.epoch() + 1, Set.of(OTHER)));
    assertThat(forgotten).containsExactly(OTHER);
  }

  private static Member member(NodeId id) {
    return new Member(id, "n" + id.low(), "localhost", 1, "", 1);
  }

  private void show(NodeId... members) {
    connections.viewChanged(new MemberView(1, List.of(members)));
  }
}
