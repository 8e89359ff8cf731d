package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.FillCancel;
import dev.headrace.rebalance.message.FillOrder;
import dev.headrace.rebalance.message.FillReport;
import dev.headrace.rebalance.message.Transport;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.fill.Fills;
import dev.headrace.rebalance.write.fill.RunningFill;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Takes the director's orders to fill, has the lanes carry them out, and reports. Orders may come
 * on any thread; {@link #tick} runs on one.
 */
final class FillOffice {

  /** A destination that is so many mutations behind, or more, does not keep up. */
  static final long MAX_LAG = 256;

  /** A fill that was not ordered again for so long belongs to a director that is none any more. */
  static final long ORPHAN_NANOS = 10_000_000_000L;

  /** The most orders that wait for a table. */
  private static final int MAX_WAITING = 1 << 16;

  private final NodeId self;
  private final Fills fills;
  private final Lanes lanes;
  private final Transport transport;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

  /** An order that has not been looked at, perhaps because it is of a table yet to come. */
  private record Waiting(NodeId director, long epoch, FillOrder.Fill order) {}

  FillOffice(NodeId self, Fills fills, Lanes lanes, Transport transport) {
    this.self = self;
    this.fills = fills;
    this.lanes = lanes;
    this.transport = transport;
  }

  void order(NodeId director, FillOrder message) {
    for (FillOrder.Fill order : message.fills()) {
      if (waiting.size() < MAX_WAITING) {
        waiting.add(new Waiting(director, message.epoch(), order));
      }
    }
  }

  void cancel(FillCancel message) {
    waiting.removeIf(order -> message.migrations().contains(order.order.migration()));
    for (RunningFill fill : fills.all()) {
      if (message.migrations().contains(fill.order().migration())) {
        fill.fail("the director does not want it any more");
        fills.remove(fill);
      }
    }
  }

  /** The owners of a segment have changed: a fill that it had is over, committed or not. */
  void ownersChanged(int segment) {
    RunningFill fill = fills.of(segment);
    if (fill != null) {
      fill.fail("the owners of the segment have changed");
    }
  }

  void tick(SegmentTable table, long nowNanos) {
    Map<NodeId, List<FillReport.FillState>> reports = new LinkedHashMap<>();
    begin(table, reports, nowNanos);
    for (RunningFill fill : fills.all()) {
      NodeId destination = fill.order().destination();
      if (table.member(destination) == null) {
        fill.fail(destination + " is no member any more");
      }
      if (nowNanos - fill.orderedNanos() >= ORPHAN_NANOS) {
        fill.fail("nobody has asked for it any more");
      }
      if (fill.failure() != null) {
        fills.remove(fill);
        report(fill, reports);
      } else if (!fill.ready() && fill.copied() && keepsUp(fill)) {
        fill.becomeReady();
        report(fill, reports);
      }
    }
    reports.forEach((director, states) -> transport.send(director, new FillReport(states)));
  }

  private void begin(
      SegmentTable table, Map<NodeId, List<FillReport.FillState>> reports, long nowNanos) {
    for (int left = waiting.size(); left > 0; left--) {
      Waiting next = waiting.poll();
      if (next == null) {
        return;
      }
      if (next.epoch > table.epoch()) {
        waiting.add(next);
      } else {
        begin(next, table, reports, nowNanos);
      }
    }
  }

  private void begin(
      Waiting next,
      SegmentTable table,
      Map<NodeId, List<FillReport.FillState>> reports,
      long nowNanos) {
    FillOrder.Fill order = next.order;
    RunningFill present = fills.of(order.segment());
    if (present != null && present.order().equals(order)) {
      present.ordered(nowNanos);
      if (present.ready()) {
        report(present, reports);
      }
      return;
    }
    RunningFill fill = new RunningFill(order, next.director);
    fill.ordered(nowNanos);
    String objection = objection(order, table);
    if (objection != null) {
      fill.fail(objection);
      report(fill, reports);
      return;
    }
    fills.put(fill);
    for (CacheSegments cache : lanes.caches()) {
      // Also where nothing was written: the destination cannot know that there is nothing.
      lanes.drive(cache.lane(order.segment()), (driven, turn) -> driven.fill(fill, turn));
    }
    fill.everywhere();
  }

  private @Nullable String objection(FillOrder.Fill order, SegmentTable table) {
    int segment = order.segment();
    if (segment < 0 || segment >= table.segments()) {
      return "there is no segment " + segment;
    }
    if (!table.sealed() || !table.isPrimary(segment, self)) {
      return "this node is not the primary of segment " + segment;
    }
    if (table.isOwner(segment, order.destination())) {
      return order.destination() + " owns segment " + segment + " already";
    }
    return table.member(order.destination()) == null ? order.destination() + " is no member" : null;
  }

  private boolean keepsUp(RunningFill fill) {
    for (CacheSegments cache : lanes.caches()) {
      Lane lane = cache.find(fill.order().segment());
      if (lane != null) {
        synchronized (lane) {
          if (!lane.keepsUp(fill, MAX_LAG)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static void report(RunningFill fill, Map<NodeId, List<FillReport.FillState>> reports) {
    reports.computeIfAbsent(fill.director(), none -> new ArrayList<>()).add(fill.state());
  }
}
