package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Moves that take effect in one epoch, each only if its segment's owners have not changed since it
 * began, all that it names are still members, and it leaves no fewer replicas than there can be: a
 * node that takes the place of a leaver may have come after the plan was made.
 *
 * @param leaving the nodes that want to leave
 */
record Commit(List<Migration> migrations, Set<NodeId> leaving) implements Proposal {
  @Override
  public @Nullable TableDelta on(SegmentTable newest, long epoch) {
    TableEdit edit = newest.edit(epoch);
    long possible = possibleOwners(newest);
    boolean any = false;
    for (Migration migration : migrations) {
      if (applies(migration, newest, possible)) {
        edit.owners(migration.segment(), migration.targetRow());
        any = true;
      }
    }
    return any ? edit.delta() : null;
  }

  private static boolean applies(Migration migration, SegmentTable newest, long possible) {
    List<NodeId> row = migration.targetRow();
    int segment = migration.segment();
    return newest.segmentEpoch(segment) == migration.segmentEpoch()
        && newest.owners(segment).equals(migration.rowBefore())
        && row.stream().allMatch(owner -> newest.member(owner) != null)
        && row.size() >= Math.min(migration.rowBefore().size(), possible);
  }

  private long possibleOwners(SegmentTable table) {
    long staying = table.dataNodes().stream().filter(node -> !leaving.contains(node)).count();
    return Math.min(table.configuredOwners(), staying);
  }
}
