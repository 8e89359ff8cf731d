package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.Fills;
import dev.headrace.replication.copy.RunningFill;
import dev.headrace.replication.message.FillCancel;
import dev.headrace.replication.message.FillOrder;
import dev.headrace.replication.message.FillReport;
import dev.headrace.replication.role.MemoryGate;
import dev.headrace.replication.role.Surroundings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.store.Replica;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes the director's orders to fill, has the lanes carry them out, and reports as soon as a fill
 * can be committed. While callers and streams use this node it fills each other one with a single
 * segment at a time, but at once those of which there is no second replica. Thread-safe; what it
 * decides it decides under a lock that is taken before any lane's monitor.
 */
final class FillOffice {

  /** A destination that is so many mutations behind, or more, does not keep up. */
  static final long MAX_LAG = 256;

  /** A fill that was not ordered again for so long belongs to a director that is none any more. */
  static final long ORPHAN_NANOS = 10_000_000_000L;

  /** So often people are told that a destination has no room. */
  static final long REMINDER_NANOS = 60_000_000_000L;

  private final NodeId self;
  private final Fills fills;
  private final MemoryGate memory;
  private final Caches caches;
  private final LaneDriver driver;
  private final Transport transport;
  private final LaneHost host;

  /**
   * Orders of tables yet to come, and those that there is no room for: the last one of each
   * segment.
   */
  private final Map<Integer, Waiting> waiting = new LinkedHashMap<>();

  /** Destinations without room, and when that was told last. */
  private final Map<NodeId, Long> full = new HashMap<>();

  private record Waiting(NodeId director, long epoch, FillOrder.Fill order, long orderedNanos) {}

  FillOffice(
      Surroundings around, Caches caches, LaneDriver driver, Transport transport, LaneHost host) {
    this.self = around.settings().self();
    this.fills = around.fills();
    this.memory = around.memory();
    this.caches = caches;
    this.driver = driver;
    this.transport = transport;
    this.host = host;
  }

  synchronized void order(NodeId director, FillOrder message) {
    Holdings now = caches.holdings();
    if (now == null) {
      return; // it is ordered again
    }
    Reports reports = new Reports();
    for (FillOrder.Fill order : message.fills()) {
      if (order.segment() >= 0 && order.segment() < now.table().segments()) {
        waiting.put(
            order.segment(), new Waiting(director, message.epoch(), order, driver.nowNanos()));
      } else {
        begin(director, order, now.table(), reports);
      }
    }
    beginWaiting(now.table(), reports);
    reports.send();
  }

  synchronized void cancel(FillCancel message) {
    Set<Long> cancelled = Set.copyOf(message.migrations());
    waiting.values().removeIf(order -> cancelled.contains(order.order.migration()));
    for (RunningFill fill : fills.all()) {
      if (cancelled.contains(fill.order().migration())) {
        fill.fail("the director does not want it any more");
        fills.remove(fill);
      }
    }
  }

  /** The owners of a segment have changed: a fill that it had is over, committed or not. */
  void ownersChanged(int segment, SegmentTable now) {
    RunningFill fill = fills.of(segment);
    if (fill != null && fill.segmentEpoch() < now.segmentEpoch(segment)) {
      fill.fail("the owners of the segment have changed");
    }
  }

  /** A learner of a segment has told how far it is: its fill may be complete now. */
  void progressed(int segment) {
    RunningFill fill = fills.of(segment);
    if (fill != null && !fill.ready() && fill.copied()) {
      synchronized (this) {
        Reports reports = new Reports();
        complete(fill, reports);
        Holdings now = caches.holdings();
        if (now != null) {
          beginWaiting(now.table(), reports);
        }
        reports.send();
      }
    }
  }

  synchronized void tick(long nowNanos) {
    Holdings now = caches.holdings();
    if (now == null) {
      return;
    }
    SegmentTable table = now.table();
    Reports reports = new Reports();
    waiting.values().removeIf(order -> nowNanos - order.orderedNanos >= ORPHAN_NANOS);
    for (RunningFill fill : fills.all()) {
      for (NodeId destination : fill.order().destinations()) {
        if (table.member(destination) == null) {
          fill.fail(destination + " is no member any more");
        }
      }
      if (nowNanos - fill.orderedNanos() >= ORPHAN_NANOS) {
        fill.fail("nobody has asked for it any more");
      }
      if (fill.failure() != null) {
        fills.remove(fill);
        reports.add(fill);
      } else {
        complete(fill, reports);
      }
    }
    beginWaiting(table, reports);
    reports.send();
  }

  private void complete(RunningFill fill, Reports reports) {
    if (fill.ready() || !fill.copied()) {
      return;
    }
    if (!fill.charged()) {
      fill.charge();
      long bytes = bytes(fill.order().segment());
      fill.order().destinations().forEach(node -> memory.copied(node, bytes));
    }
    if (!fill.counts() && everywhere(fill, lane -> lane.keepUp(fill, MAX_LAG))) {
      fill.count();
    }
    // Asked only now: a lane that has come into being meanwhile waits for its destinations, too.
    if (fill.counts() && everywhere(fill, lane -> lane.isLevel(fill))) {
      fill.becomeReady();
      reports.add(fill);
    }
  }

  private void beginWaiting(SegmentTable table, Reports reports) {
    for (Iterator<Waiting> all = waiting.values().iterator(); all.hasNext(); ) {
      Waiting next = all.next();
      int segment = next.order.segment();
      boolean endangered = table.ownerCount(segment) < Math.min(2, table.configuredOwners());
      boolean hurries = endangered || fills.of(segment) != null;
      if (next.epoch <= table.epoch()
          && (hurries || hasRoom(next.order))
          && (fills.of(segment) != null || fits(next.order, table))) {
        all.remove();
        begin(next.director, next.order, table, reports);
      }
    }
  }

  private boolean hasRoom(FillOrder.Fill order) {
    if (!host.isBusy()) {
      return true;
    }
    for (RunningFill fill : fills.all()) {
      boolean copying = fill.failure() == null && !fill.copied();
      if (copying && !Collections.disjoint(fill.order().destinations(), order.destinations())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the destinations can take the segment beside what they are being sent already. */
  private boolean fits(FillOrder.Fill order, SegmentTable table) {
    long bytes = bytes(order.segment());
    for (NodeId destination : order.destinations()) {
      if (!memory.knows(destination)) {
        return false;
      }
      // Other primaries may be sending it something, too, of which it has not told yet.
      long room = memory.roomBytes(destination) / primariesBeside(destination, table);
      for (RunningFill fill : fills.all()) {
        if (fill.failure() == null
            && !fill.charged()
            && fill.order().destinations().contains(destination)) {
          room -= bytes(fill.order().segment());
        }
      }
      if (bytes > 0 && bytes > room) {
        tellFull(destination, order.segment(), bytes);
        return false;
      }
    }
    return true;
  }

  private static int primariesBeside(NodeId destination, SegmentTable table) {
    long others =
        table.members().stream()
            .filter(member -> member.holdsSegments() && !member.id().equals(destination))
            .count();
    return (int) Math.max(1, others);
  }

  private void tellFull(NodeId destination, int segment, long bytes) {
    Long before = full.get(destination);
    if (before == null || driver.nowNanos() - before >= REMINDER_NANOS) {
      full.put(destination, driver.nowNanos());
      host.noRoom(destination, segment, bytes);
    }
  }

  /** About the heap that a segment's entries take, those of all caches. */
  private long bytes(int segment) {
    long bytes = 0;
    for (CacheSegments cache : caches.all()) {
      Replica replica = cache.store().replica(segment);
      bytes += replica == null ? 0 : replica.bytes();
    }
    return bytes + bytes / 4; // for tables, and pages that are not full
  }

  private void begin(NodeId director, FillOrder.Fill order, SegmentTable table, Reports reports) {
    RunningFill present = fills.of(order.segment());
    if (present != null && present.leadsTo(order.destinations())) {
      present.ordered(order, director, driver.nowNanos());
      if (present.ready()) {
        reports.add(present);
      }
      return;
    }
    String objection = objection(order, table);
    long segmentEpoch = objection == null ? table.segmentEpoch(order.segment()) : 0;
    RunningFill fill = new RunningFill(order, director, segmentEpoch, driver.nowNanos());
    if (objection != null) {
      fill.fail(objection);
      reports.add(fill);
      return;
    }
    fills.put(fill);
    for (CacheSegments cache : caches.all()) {
      // Also where nothing was written: the destinations cannot know that there is nothing.
      driver.drive(cache.lane(order.segment()), (driven, turn) -> driven.fill(fill, turn));
    }
    fill.everywhere();
    complete(fill, reports);
  }

  private @Nullable String objection(FillOrder.Fill order, SegmentTable table) {
    int segment = order.segment();
    if (segment < 0 || segment >= table.segments()) {
      return "there is no segment " + segment;
    }
    if (!table.sealed() || !table.isPrimary(segment, self)) {
      return "this node is not the primary of segment " + segment;
    }
    for (NodeId destination : order.destinations()) {
      if (table.isOwner(segment, destination)) {
        return destination + " owns segment " + segment + " already";
      }
      if (table.member(destination) == null) {
        return destination + " is no member";
      }
    }
    return null;
  }

  private boolean everywhere(RunningFill fill, Predicate<Lane> condition) {
    for (CacheSegments cache : caches.all()) {
      Lane lane = cache.find(fill.order().segment());
      if (lane != null) {
        synchronized (lane) {
          if (!condition.test(lane)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** What is to be reported to each director. */
  private final class Reports {
    private final Map<NodeId, List<FillReport.FillState>> states = new LinkedHashMap<>(2);

    void add(RunningFill fill) {
      states.computeIfAbsent(fill.director(), none -> new ArrayList<>()).add(fill.state());
    }

    void send() {
      states.forEach((director, list) -> transport.send(director, new FillReport(list)));
    }
  }
}
