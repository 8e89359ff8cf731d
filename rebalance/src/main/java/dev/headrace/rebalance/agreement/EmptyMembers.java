package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.Map;

/** Which members own nothing, and since which of the tables that one coordinator has seen. */
final class EmptyMembers {
  private final Map<NodeId, Long> since = new HashMap<>();
  private long lastEpoch = SegmentTable.NEVER;

  /** Takes note of a table; to be called for each, in their order, and as often as one likes. */
  void observe(SegmentTable table) {
    if (table.epoch() == lastEpoch) {
      return;
    }
    lastEpoch = table.epoch();
    since.keySet().removeIf(id -> table.member(id) == null);
    for (Member member : table.members()) {
      if (table.replicas(member.id()) > 0) {
        since.remove(member.id());
      } else {
        since.putIfAbsent(member.id(), table.epoch());
      }
    }
  }

  /**
   * The epoch of the first table from which on a node has owned nothing; {@link Long#MAX_VALUE}
   * while it owns something or is no member.
   */
  long since(NodeId node) {
    return since.getOrDefault(node, Long.MAX_VALUE);
  }
}
