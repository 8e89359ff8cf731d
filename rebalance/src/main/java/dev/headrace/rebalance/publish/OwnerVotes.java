package dev.headrace.rebalance.publish;

import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What the owners of segments have to say when a table is to come into force, beside the quorum of
 * all data nodes.
 *
 * <p>A segment must not be given to nodes that are gone by then: its former owners would give up
 * what nobody else has. So at least one of the owners that a table gives to a segment has to have
 * stored it. Owners that are only what is left of those in force have the segment already.
 */
public final class OwnerVotes {
  private OwnerVotes() {}

  /**
   * Whether the last table of a line may come into force for all that its owners say.
   *
   * @param line the tables from the one in force to that one
   * @param stored whether a node has stored that one or one that was made from it
   */
  public static boolean suffice(List<Step> line, Predicate<NodeId> stored) {
    SegmentTable inForce = line.get(0).table();
    SegmentTable last = line.get(line.size() - 1).table();
    Set<NodeId> silent =
        last.members().stream().map(Member::id).filter(stored.negate()).collect(Collectors.toSet());
    if (silent.isEmpty() || !inForce.written()) {
      return true; // The first write needs every data node anyway.
    }
    for (Step step : line.subList(1, line.size())) {
      TableDelta delta = step.delta();
      if (delta != null) {
        for (int segment : delta.changedSegments()) {
          if (silent.containsAll(last.owners(segment)) && isGiven(segment, inForce, last)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static boolean isGiven(int segment, SegmentTable inForce, SegmentTable last) {
    Set<NodeId> left = new HashSet<>(inForce.owners(segment));
    left.removeIf(owner -> last.member(owner) == null);
    return !left.equals(new HashSet<>(last.owners(segment)));
  }
}
