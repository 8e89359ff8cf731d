package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** The nodes that want to leave in order, and which of them may go. */
final class LeavingNodes {

  private final boolean segmentsMove;
  private final Set<NodeId> leaving = new HashSet<>();

  /** Those of them from which nobody needs anything any more. */
  private final Set<NodeId> free = new HashSet<>();

  /**
   * Nobody wants to leave yet.
   *
   * @param segmentsMove whether who leaves has to wait until it owns nothing
   */
  LeavingNodes(boolean segmentsMove) {
    this.segmentsMove = segmentsMove;
  }

  void add(NodeId node, boolean owesNothing) {
    leaving.add(node);
    if (owesNothing) {
      free.add(node);
    } else {
      free.remove(node);
    }
  }

  void retain(Collection<NodeId> nodes) {
    leaving.retainAll(nodes);
    free.retainAll(nodes);
  }

  boolean contains(NodeId node) {
    return leaving.contains(node);
  }

  /** A copy. */
  Set<NodeId> nodes() {
    return Set.copyOf(leaving);
  }

  /**
   * Whether a node wants to leave and may be taken out of a table: if it owns nothing and owes
   * nothing, or nobody stays who could take over what it owns.
   */
  boolean mayGo(SegmentTable table, Member member) {
    return leaving.contains(member.id())
        && (!segmentsMove
            || !table.written()
            || (table.replicas(member.id()) == 0 && free.contains(member.id()))
            || table.members().stream().noneMatch(this::takesOver));
  }

  private boolean takesOver(Member member) {
    return member.holdsSegments() && !leaving.contains(member.id());
  }
}
