package dev.headrace.cluster.node;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Notices nodes that come back into the view. Connections to them that outlived their absence are
 * closed, so that new ones are opened: where packets were dropped for a minute, TCP tries again
 * only after another. On the control executor.
 */
final class Returns {
  /** More than that many do not come back. */
  private static final int MAX_AWAY = 1024;

  private final Consumer<NodeId> forget;
  private final Set<NodeId> away = new LinkedHashSet<>();
  private Set<NodeId> present = Set.of();

  /**
   * @param forget closes the connections to a node
   */
  Returns(Consumer<NodeId> forget) {
    this.forget = forget;
  }

  void viewChanged(MemberView view) {
    Set<NodeId> gone = new HashSet<>(present);
    present = Set.copyOf(view.members());
    gone.removeAll(present);
    away.addAll(gone);
    while (away.size() > MAX_AWAY) {
      away.remove(away.iterator().next());
    }
    for (NodeId node : view.members()) {
      if (away.remove(node)) {
        forget.accept(node);
      }
    }
  }
}
