package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReturnsTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId OTHER = new NodeId(1, 2);
  private static final NodeId THIRD = new NodeId(1, 3);

  private final List<NodeId> forgotten = new ArrayList<>();
  private final Returns returns = new Returns(forgotten::add);

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

  private void show(NodeId... members) {
    returns.viewChanged(new MemberView(1, List.of(members)));
  }
}
