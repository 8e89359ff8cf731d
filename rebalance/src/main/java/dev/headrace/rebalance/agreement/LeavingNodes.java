package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The nodes that want to leave in order, and which of them may go. */
final class LeavingNodes {

  private final boolean segmentsMove;

  /** With the epoch of the table under which each owes nothing, as it says itself. */
  private final Map<NodeId, Long> leaving = new HashMap<>();

  /**
   * Nobody wants to leave yet.
   *
   * @param segmentsMove whether who leaves has to wait until it owns nothing
   */
  LeavingNodes(boolean segmentsMove) {
    this.segmentsMove = segmentsMove;
  }

  /**
   * A node wants to leave.
   *
   * @param owesNothingAt the epoch of its table if it owns nothing there and nobody needs anything
   *     that it owned before; else {@link SegmentTable#NEVER}
   */
  void add(NodeId node, long owesNothingAt) {
    leaving.put(node, owesNothingAt);
  }

  void retain(Collection<NodeId> nodes) {
    leaving.keySet().retainAll(nodes);
  }

  boolean contains(NodeId node) {
    return leaving.containsKey(node);
  }

  /** A copy. */
  Set<NodeId> nodes() {
    return Set.copyOf(leaving.keySet());
  }

  /**
   * Whether a node wants to leave and may be taken out of a table: if it owns nothing and owes
   * nothing, or nobody stays who could take over what it owns. What it said before it was given
   * segments that it has handed on since does not count.
   *
   * @param taken who is a member, or is to become one
   */
  boolean mayGo(SegmentTable table, Member member, List<Member> taken, EmptyMembers empty) {
    return leaving.containsKey(member.id())
        && (!segmentsMove
            || !table.written()
            || leaving.get(member.id()) >= empty.since(member.id())
            || taken.stream().noneMatch(this::takesOver));
  }

  private boolean takesOver(Member member) {
    return member.holdsSegments() && !leaving.containsKey(member.id());
  }
}
