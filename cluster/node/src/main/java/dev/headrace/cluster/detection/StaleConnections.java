package dev.headrace.cluster.detection;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Closes connections that must not be used any more: those to nodes that have left the table, and
 * those to nodes that come back into the view. After packets were dropped for a minute, TCP tries
 * again only after another minute; a new connection works at once. Used on the control executor.
 */
public final class StaleConnections implements TableListener {
  /** The most absent nodes that are remembered. */
  private static final int MAX_AWAY = 1024;

  private final Consumer<NodeId> close;
  private final Set<NodeId> away = new LinkedHashSet<>();
  private Set<NodeId> present = Set.of();
  private List<Member> members = List.of();

  /**
   * @param close closes the connections to a node
   */
  public StaleConnections(Consumer<NodeId> close) {
    this.close = close;
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newImage) {
    for (Member member : members) {
      if (newImage.member(member.id()) == null) {
        close.accept(member.id());
      }
    }
    members = newImage.members();
  }

  public void viewChanged(MemberView view) {
    Set<NodeId> gone = new HashSet<>(present);
    present = Set.copyOf(view.members());
    gone.removeAll(present);
    away.addAll(gone);
    while (away.size() > MAX_AWAY) {
      away.remove(away.iterator().next());
    }
    for (NodeId node : view.members()) {
      if (away.remove(node)) {
        close.accept(node);
      }
    }
  }
}
