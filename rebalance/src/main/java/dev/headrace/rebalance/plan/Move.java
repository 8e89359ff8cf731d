package dev.headrace.rebalance.plan;

import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One change of one segment's owners.
 *
 * <p>With {@code add} the segment is copied to that node, and the row is in force once it is
 * complete there. Without {@code add} nothing is copied and the row may be in force at once: {@code
 * drop} alone takes a leaving node out where no other can take its place; neither of the two
 * changes the primary, or gives new and empty owners to a segment that has lost all it had.
 *
 * @param segment the segment
 * @param add the node that gets a replica, or null
 * @param drop the node that gives its replica up with the same step, or null
 * @param targetRow the segment's owners after the step, the primary first
 */
public record Move(
    int segment, @Nullable NodeId add, @Nullable NodeId drop, List<NodeId> targetRow) {
  public Move {
    targetRow = List.copyOf(targetRow);
  }

  /**
   * Whether the step leads from these owners to those that it is meant to lead to. Whoever has lost
   * all owners may get any.
   */
  public boolean leadsFrom(List<NodeId> row) {
    Set<NodeId> after = new HashSet<>(row);
    if (drop != null) {
      after.remove(drop);
    }
    if (add != null) {
      after.add(add);
    }
    return row.isEmpty() || after.equals(Set.copyOf(targetRow));
  }

  public boolean copies() {
    return add != null;
  }
}
