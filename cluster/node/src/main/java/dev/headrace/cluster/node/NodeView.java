package dev.headrace.cluster.node;

import dev.headrace.cluster.status.Statuses;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node knows at one moment beyond {@link dev.headrace.api.ClusterStatus}, for programs that
 * show a cluster: who owns which segment, and whether the node serves. An image, which does not
 * change.
 *
 * @param table the newest segment table
 * @param self the node that was asked
 * @param serves whether it may answer now for the segments that it owns: it is admitted and has a
 *     lease; for a node that holds nothing, whether its calls are let through
 * @param leaseNanos how long its lease still lasts, 0 if it has none, {@link Long#MAX_VALUE} where
 *     there are no leases
 */
public record NodeView(SegmentTable table, NodeId self, boolean serves, long leaseNanos) {

  /** The segments that the node owns, in order. */
  public List<Integer> ownedSegments() {
    int ordinal = table.ordinal(self);
    List<Integer> owned = new ArrayList<>();
    for (int segment = 0; ordinal >= 0 && segment < table.segments(); segment++) {
      if (table.isOwner(segment, ordinal)) {
        owned.add(segment);
      }
    }
    return owned;
  }

  /** How many nodes own the segment of a key. */
  public int owners(byte[] encodedKey) {
    HashSpace space = new HashSpace(table.segments(), table.hashSeed());
    return table.ownerCount(space.segment(space.hash(encodedKey)));
  }

  /** The name of a member, as {@link dev.headrace.api.ClusterStatus} has it. */
  public String nameOf(Member member) {
    return Statuses.name(member, table);
  }
}
