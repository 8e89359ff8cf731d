package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RecordedMoves;
import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.MemoryGate;
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
 * Takes the coordinator's orders to copy, has the lanes carry them out, and reports as soon as a
 * copy can be committed. While callers and streams use this node it copies to each other one with a
 * single segment at a time, but at once those of which there is no second replica. Thread-safe;
 * what it decides it decides under a lock that is taken before any lane's monitor.
 */
final class CopyScheduler {

  /** A destination that is so many mutations behind, or more, does not keep up. */
  static final long MAX_LAG = 256;

  /** A copy that was not ordered again for so long was ordered by a former coordinator. */
  static final long ORPHAN_NANOS = 10_000_000_000L;

  /** So often people are told that a destination has no room. */
  static final long REMINDER_NANOS = 60_000_000_000L;

  private final NodeId self;
  private final RunningCopies runningCopies;
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

  private record Waiting(NodeId rebalancer, long epoch, CopyOrder.Copy order, long orderedNanos) {}

  CopyScheduler(
      LaneContext around, Caches caches, LaneDriver driver, Transport transport, LaneHost host) {
    this.self = around.settings().self();
    this.runningCopies = around.runningCopies();
    this.memory = around.memory();
    this.caches = caches;
    this.driver = driver;
    this.transport = transport;
    this.host = host;
  }

  synchronized void order(NodeId rebalancer, CopyOrder message) {
    LocalReplicas now = caches.local();
    if (now == null) {
      return; // it is ordered again
    }
    Reports reports = new Reports();
    for (CopyOrder.Copy order : message.copies()) {
      if (order.segment() >= 0 && order.segment() < now.table().segments()) {
        waiting.put(
            order.segment(), new Waiting(rebalancer, message.epoch(), order, driver.nowNanos()));
      } else {
        begin(rebalancer, order, now.table(), reports);
      }
    }
    beginWaiting(now.table(), reports);
    reports.send();
  }

  synchronized void cancel(CopyCancel message) {
    Set<Long> cancelled = Set.copyOf(message.migrations());
    waiting.values().removeIf(order -> cancelled.contains(order.order.migration()));
    for (RunningCopy copy : runningCopies.all()) {
      if (cancelled.contains(copy.order().migration())) {
        copy.fail("the coordinator does not want it any more");
        runningCopies.remove(copy);
      }
    }
  }

  /** The owners of a segment have changed: a copy that it had is over, committed or not. */
  void ownersChanged(int segment, SegmentTable now) {
    RunningCopy copy = runningCopies.of(segment);
    if (copy != null && copy.segmentEpoch() < now.segmentEpoch(segment)) {
      copy.ownersChanged(now.owners(segment));
    }
  }

  /** A learner of a segment has told how far it is: its copy may be complete now. */
  void progressed(int segment) {
    RunningCopy copy = runningCopies.of(segment);
    if (copy != null && !copy.ready() && copy.copied()) {
      synchronized (this) {
        Reports reports = new Reports();
        complete(copy, reports);
        LocalReplicas now = caches.local();
        if (now != null) {
          beginWaiting(now.table(), reports);
        }
        reports.send();
      }
    }
  }

  synchronized void tick(long nowNanos) {
    LocalReplicas now = caches.local();
    if (now == null) {
      return;
    }
    SegmentTable table = now.table();
    Reports reports = new Reports();
    waiting.values().removeIf(order -> nowNanos - order.orderedNanos >= ORPHAN_NANOS);
    for (RunningCopy copy : runningCopies.all()) {
      for (NodeId destination : copy.order().destinations()) {
        if (table.member(destination) == null) {
          copy.fail(destination + " is no member any more");
        }
      }
      if (nowNanos - copy.orderedNanos() >= ORPHAN_NANOS) {
        copy.fail("nobody has asked for it any more");
      }
      if (copy.failure() != null) {
        runningCopies.remove(copy);
        reports.add(copy);
      } else {
        complete(copy, reports);
      }
    }
    beginWaiting(table, reports);
    reports.send();
  }

  private void complete(RunningCopy copy, Reports reports) {
    if (copy.ready() || !copy.copied()) {
      return;
    }
    if (!copy.charged()) {
      copy.charge();
      long bytes = bytes(copy.order().segment());
      copy.order().destinations().forEach(node -> memory.copied(node, bytes));
    }
    if (!copy.counts() && everywhere(copy, lane -> lane.role().keepUp(copy, MAX_LAG))) {
      copy.count();
    }
    // Asked only now: a lane that has come into being meanwhile waits for its destinations, too.
    if (copy.counts() && everywhere(copy, lane -> lane.role().isLevel(copy))) {
      copy.becomeReady();
      reports.add(copy);
    }
  }

  private void beginWaiting(SegmentTable table, Reports reports) {
    for (Iterator<Waiting> all = waiting.values().iterator(); all.hasNext(); ) {
      Waiting next = all.next();
      int segment = next.order.segment();
      boolean endangered = table.ownerCount(segment) < Math.min(2, table.configuredOwners());
      boolean hurries = endangered || runningCopies.of(segment) != null;
      if (next.epoch <= table.epoch()
          && (hurries || hasRoom(next.order))
          && (runningCopies.of(segment) != null || fits(next.order, table))) {
        all.remove();
        begin(next.rebalancer, next.order, table, reports);
      }
    }
  }

  private boolean hasRoom(CopyOrder.Copy order) {
    if (!host.isBusy()) {
      return true;
    }
    for (RunningCopy copy : runningCopies.all()) {
      boolean copying = copy.failure() == null && !copy.copied();
      if (copying && !Collections.disjoint(copy.order().destinations(), order.destinations())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the destinations can take the segment beside what they are being sent already. */
  private boolean fits(CopyOrder.Copy order, SegmentTable table) {
    long bytes = bytes(order.segment());
    for (NodeId destination : order.destinations()) {
      if (!memory.knows(destination)) {
        return false;
      }
      // Other primaries may be sending it something, too, of which it has not told yet.
      long room = memory.roomBytes(destination) / primariesBeside(destination, table);
      for (RunningCopy copy : runningCopies.all()) {
        if (copy.failure() == null
            && !copy.charged()
            && copy.order().destinations().contains(destination)) {
          room -= bytes(copy.order().segment());
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

  private RecordedMoves.Extent extent(int segment) {
    int used = 0;
    long entries = 0;
    for (CacheSegments cache : caches.all()) {
      Replica replica = cache.store().replica(segment);
      long present = replica == null ? 0 : replica.entries();
      used += present == 0 ? 0 : 1;
      entries += present;
    }
    return new RecordedMoves.Extent(used, entries);
  }

  private void begin(NodeId rebalancer, CopyOrder.Copy order, SegmentTable table, Reports reports) {
    RunningCopy present = runningCopies.of(order.segment());
    if (present != null && present.leadsTo(order.destinations())) {
      present.ordered(order, rebalancer, driver.nowNanos());
      if (present.ready()) {
        reports.add(present);
      }
      return;
    }
    String objection = objection(order, table);
    long segmentEpoch = objection == null ? table.segmentEpoch(order.segment()) : 0;
    RunningCopy copy = new RunningCopy(order, rebalancer, segmentEpoch, driver.nowNanos());
    if (objection != null) {
      copy.fail(objection);
      reports.add(copy);
      return;
    }
    copy.recordedBy(RecordedMoves.begin(order, self, table, () -> extent(order.segment())));
    runningCopies.put(copy);
    for (CacheSegments cache : caches.all()) {
      // Also where nothing was written: the destinations cannot know that there is nothing.
      driver.drive(
          cache.lane(order.segment()), (driven, effects) -> driven.role().copy(copy, effects));
    }
    copy.everywhere();
    complete(copy, reports);
  }

  private @Nullable String objection(CopyOrder.Copy order, SegmentTable table) {
    int segment = order.segment();
    if (segment < 0 || segment >= table.segments()) {
      return "there is no segment " + segment;
    }
    if (!table.written() || !table.isPrimary(segment, self)) {
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

  private boolean everywhere(RunningCopy copy, Predicate<Lane> condition) {
    for (CacheSegments cache : caches.all()) {
      Lane lane = cache.find(copy.order().segment());
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

  /** What is to be reported to each coordinator. */
  private final class Reports {
    private final Map<NodeId, List<CopyStateReport.CopyState>> states = new LinkedHashMap<>(2);

    void add(RunningCopy copy) {
      states.computeIfAbsent(copy.rebalancer(), none -> new ArrayList<>()).add(copy.state());
    }

    void send() {
      states.forEach((rebalancer, list) -> transport.send(rebalancer, new CopyStateReport(list)));
    }
  }
}
