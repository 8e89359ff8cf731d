package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves that take effect in one epoch, each only if its segment's owners are still those that it
 * was planned from and all that it names are still members.
 */
record Commit(List<Migration> migrations) implements Proposal {

  @Override
  public @Nullable TableDelta on(SegmentTable newest, long epoch) {
    TableEdit edit = newest.edit(epoch);
    boolean any = false;
    for (Migration migration : migrations) {
      List<NodeId> row = migration.move().targetRow();
      boolean applies =
          newest.owners(migration.segment()).equals(migration.rowBefore())
              && row.stream().allMatch(owner -> newest.member(owner) != null);
      if (applies) {
        edit.owners(migration.segment(), row);
        any = true;
      }
    }
    return any ? edit.delta() : null;
  }
}
