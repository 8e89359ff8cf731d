package dev.headrace.replication.repair;

import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.NodeId;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An order to repair segments, as the node sees it that carries it out. Thread-safe. */
final class RepairJob {
  private static final long REPORT_NANOS = 200_000_000L;

  private final NodeId requester;
  private final long id;
  private final List<String> caches;
  private final BitSet queued = new BitSet();
  private final BitSet done = new BitSet();
  private final BitSet refused = new BitSet();
  private RepairStats stats = RepairStats.NONE;
  private boolean changed = true;
  private long heardNanos;
  private long reportedNanos;

  RepairJob(NodeId requester, Order order, long nowNanos) {
    this.requester = requester;
    this.id = order.id();
    this.caches = order.caches();
    this.heardNanos = nowNanos;
    this.reportedNanos = nowNanos - REPORT_NANOS;
  }

  NodeId requester() {
    return requester;
  }

  boolean is(NodeId from, long number) {
    return requester.equals(from) && id == number;
  }

  /** Takes the order, perhaps again, and queues what is new. */
  void take(Order order, int segments, long nowNanos, RepairPool pool) {
    BitSet more = BitSet.valueOf(order.segments());
    synchronized (this) {
      heardNanos = nowNanos;
      changed = true;
      more.andNot(queued);
      more.andNot(done);
      more.clear(segments, Math.max(segments, more.length()));
      refused.andNot(more);
      queued.or(more);
    }
    more.stream().forEach(segment -> pool.add(segment, caches, this::ended));
  }

  private synchronized void ended(int segment, boolean finished, RepairStats found) {
    queued.clear(segment);
    (finished ? done : refused).set(segment);
    stats = stats.plus(found);
    changed = true;
  }

  /** What the requester should hear now, if anything. */
  synchronized @Nullable Report report(long nowNanos) {
    boolean due = nowNanos - reportedNanos >= REPORT_NANOS || queued.isEmpty();
    if (!changed || !due) {
      return null;
    }
    changed = false;
    reportedNanos = nowNanos;
    return new Report(id, done.toByteArray(), refused.toByteArray(), stats);
  }

  /** Whether all that was ordered is done or refused. */
  synchronized boolean isOver() {
    return queued.isEmpty();
  }

  /** Whether the requester has been silent for so long that it will not ask again. */
  synchronized boolean forgotten(long nowNanos, long patienceNanos) {
    return queued.isEmpty() && nowNanos - heardNanos >= patienceNanos;
  }
}
