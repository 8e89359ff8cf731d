package dev.headrace.replication.repair;

import dev.headrace.api.RepairReport;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.NodeId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * An order to repair segments, as the node sees it that wants it. Every segment is ordered from its
 * primary, again and again until a report says that it is done: so a segment that moves meanwhile
 * is ordered from its new primary. Thread-safe.
 */
final class ClusterRepair {
  private static final long ORDER_NANOS = 300_000_000L;

  private final long id;
  private final List<String> caches;
  private final int segments;
  private final long patienceNanos;
  private final Consumer<RepairReport> progress;
  private final CompletableFuture<RepairReport> result = new CompletableFuture<>();
  private final BitSet left;
  private final Map<NodeId, RepairStats> statsByPrimary = new HashMap<>();
  private boolean ordered;
  private long orderedNanos;
  private long progressNanos;
  private int lost;

  ClusterRepair(
      long id,
      List<String> caches,
      int segments,
      long patienceNanos,
      Consumer<RepairReport> progress) {
    this.id = id;
    this.caches = caches;
    this.segments = segments;
    this.patienceNanos = patienceNanos;
    this.progress = progress;
    this.left = new BitSet(segments);
    left.set(0, segments);
  }

  long id() {
    return id;
  }

  CompletionStage<RepairReport> result() {
    return result;
  }

  boolean over() {
    return result.isDone();
  }

  /** The orders that are due, by primary. */
  Map<NodeId, Order> orders(SegmentTable table, long nowNanos) {
    Map<NodeId, BitSet> byPrimary = new TreeMap<>();
    synchronized (this) {
      if (ordered && nowNanos - orderedNanos < ORDER_NANOS) {
        return Map.of();
      }
      progressNanos = ordered ? progressNanos : nowNanos;
      ordered = true;
      orderedNanos = nowNanos;
      assign(table, byPrimary);
    }
    settleIfOver(nowNanos);
    Map<NodeId, Order> orders = new TreeMap<>();
    byPrimary.forEach((node, its) -> orders.put(node, new Order(id, caches, its.toByteArray())));
    return orders;
  }

  private void assign(SegmentTable table, Map<NodeId, BitSet> byPrimary) {
    for (int segment = left.nextSetBit(0); segment >= 0; segment = left.nextSetBit(segment + 1)) {
      NodeId primary = segment < table.segments() ? table.primary(segment) : null;
      if (primary == null) {
        left.clear(segment); // No node has it: there is nothing to compare.
        lost++;
      } else {
        byPrimary.computeIfAbsent(primary, none -> new BitSet()).set(segment);
      }
    }
  }

  /** A primary has told how far it is. */
  void reported(NodeId from, Report report, long nowNanos) {
    RepairReport soFar;
    synchronized (this) {
      BitSet done = BitSet.valueOf(report.done());
      boolean more = done.intersects(left) || !report.stats().equals(statsByPrimary.get(from));
      left.andNot(done);
      statsByPrimary.put(from, report.stats());
      if (!more || result.isDone()) {
        return;
      }
      progressNanos = nowNanos;
      soFar = report();
    }
    progress.accept(soFar);
    settleIfOver(nowNanos);
  }

  private void settleIfOver(long nowNanos) {
    RepairReport soFar;
    synchronized (this) {
      if (!left.isEmpty() && nowNanos - progressNanos < patienceNanos) {
        return;
      }
      soFar = report();
    }
    result.complete(soFar);
  }

  private RepairReport report() {
    RepairStats sum = RepairStats.NONE;
    for (RepairStats stats : statsByPrimary.values()) {
      sum = sum.plus(stats);
    }
    return new RepairReport(
        segments,
        segments - lost - left.cardinality(),
        sum.entries(),
        sum.bytes(),
        sum.differences(),
        sum.repaired(),
        sum.newer(),
        sum.sentBytes());
  }

  void fail(RuntimeException reason) {
    result.completeExceptionally(reason);
  }
}
