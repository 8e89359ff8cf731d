package dev.headrace.rebalance.agreement;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * Who can reach each other, as the membership protocol sees it.
 *
 * @param mark the same at all nodes that have this view, and never used for another
 * @param members in the order they joined
 */
public record MemberView(long mark, List<NodeId> members) {

  public MemberView {
    members = List.copyOf(members);
  }
}
