package dev.headrace.rebalance.publish;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Notices;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node tells others, on its own account, of the tables in force: the changes behind the
 * table that they have, or the whole table if the changes are more than that.
 *
 * <p>Beside the coordinator, which brings every table to every member, this is the short way where
 * two nodes deal with each other: a redirected caller and a new primary's backups need no further
 * question. Thread-safe; nothing is sent under the lock.
 */
public final class TableGossip implements Notices, TableListener {
  static final long REPEAT_NANOS = 200_000_000L; // so often a node may be told the same

  private final Transport transport;

  // Guarded by this.
  private final ArrayDeque<TableDelta> deltas = new ArrayDeque<>();
  private final Map<NodeId, Long> told = new HashMap<>();
  private final Map<NodeId, Long> asked = new HashMap<>();
  private @Nullable SegmentTable newest;
  private int rows;
  private @Nullable Long clearedNanos; // null before the first tick

  public TableGossip(Transport transport) {
    this.transport = transport;
  }

  @Override
  public synchronized void onTable(TableDelta delta, SegmentTable newImage) {
    SegmentTable before = newest;
    newest = newImage;
    if (before == null || delta.fromEpoch() != before.epoch()) {
      deltas.clear();
      rows = 0;
      return;
    }
    deltas.add(delta);
    rows += delta.changedSegments().length;
    // More rows than a table has are larger than the table.
    while (rows > newImage.segments() || deltas.size() > TableNotice.MAX_DELTAS) {
      rows -= deltas.remove().changedSegments().length;
    }
  }

  @Override
  public void outdated(NodeId node, long itsEpoch) {
    TableNotice notice;
    synchronized (this) {
      SegmentTable present = newest;
      if (present == null || itsEpoch >= present.epoch() || isTold(node, present)) {
        return;
      }
      told.put(node, present.epoch());
      notice = since(itsEpoch, present);
    }
    transport.send(node, notice);
  }

  @Override
  public void behind(NodeId node) {
    long epoch;
    synchronized (this) {
      SegmentTable present = newest;
      if (present == null) {
        return;
      }
      epoch = present.epoch();
      Long before = asked.put(node, epoch);
      if (before != null && before >= epoch) {
        return;
      }
    }
    transport.send(node, TableNotice.at(epoch));
  }

  @Override
  public void accompany(NodeId node) {
    TableNotice notice;
    synchronized (this) {
      SegmentTable present = newest;
      TableDelta last = deltas.peekLast();
      if (present == null || last == null || isTold(node, present)) {
        return;
      }
      Long before = told.put(node, present.epoch());
      // Nobody has said how far behind it is. A whole table would have it wait for the leases of
      // owners that it could not name, so it gets changes, of which it takes what it lacks.
      long known = before == null ? last.fromEpoch() : Math.min(before, last.fromEpoch());
      notice = new TableNotice(present.epoch(), null, deltasSince(known));
    }
    transport.send(node, notice);
  }

  public synchronized void tick(long nowNanos) {
    Long cleared = clearedNanos;
    if (cleared == null || nowNanos - cleared >= REPEAT_NANOS) {
      clearedNanos = nowNanos;
      told.clear();
      asked.clear();
    }
  }

  private boolean isTold(NodeId node, SegmentTable present) {
    Long epoch = told.get(node);
    return epoch != null && epoch >= present.epoch();
  }

  private TableNotice since(long epoch, SegmentTable present) {
    List<TableDelta> following = deltasSince(epoch);
    boolean leadsOn = !following.isEmpty() && following.get(0).fromEpoch() == epoch;
    return leadsOn ? new TableNotice(present.epoch(), null, following) : TableNotice.of(present);
  }

  private List<TableDelta> deltasSince(long epoch) {
    return deltas.stream().filter(delta -> delta.fromEpoch() >= epoch).toList();
  }
}
