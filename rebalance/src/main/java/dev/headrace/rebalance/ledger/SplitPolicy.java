package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.List;

/** What the parts of a cluster that holds data may do while they do not see each other. */
public enum SplitPolicy {

  /**
   * Only a majority of the table's data nodes goes on, or an exact half with the oldest of them;
   * the others are suspended.
   */
  DENY,

  /** Every part goes on. When they meet again, the part with the newest table stays. */
  ALLOW;

  /** Whether these nodes may go on with the table. */
  boolean permits(SegmentTable table, Collection<NodeId> present) {
    if (this == ALLOW || !table.sealed()) {
      return true;
    }
    List<Member> voters = table.members().stream().filter(Member::holdsSegments).toList();
    long votes = voters.stream().filter(voter -> present.contains(voter.id())).count();
    boolean half = votes * 2 == voters.size();
    return votes * 2 > voters.size()
        || (half && (voters.isEmpty() || present.contains(voters.get(0).id())));
  }
}
