package dev.headrace.replication.repair;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.LaneVisit;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The segments that this node, as their primary, has in work, a bounded number at a time, and those
 * that wait. Thread-safe: its monitor guards the queue and the jobs, and is never held while a lane
 * runs.
 */
final class RepairPool {
  private final RepairSettings settings;
  private final Lanes lanes;
  private final RepairListener listener;
  private final Pace pace;
  private final AtomicLong numbers = new AtomicLong();
  private final Queue<Job> waiting = new ArrayDeque<>();
  private final Map<Integer, Job> inWork = new HashMap<>();

  RepairPool(RepairSettings settings, Lanes lanes, RepairListener listener) {
    this.settings = settings;
    this.lanes = lanes;
    this.listener = listener;
    this.pace = new Pace(settings.bytesPerSecond());
  }

  /** Who wanted a segment repaired hears how it ended. */
  @FunctionalInterface
  interface Requester {
    /**
     * A segment has been worked on.
     *
     * @param done whether all of it was compared; if not, this node is not its primary, or got no
     *     further
     */
    void ended(int segment, boolean done, RepairStats stats);
  }

  /** One segment, cache by cache. Guarded by the repair pool's monitor. */
  private static final class Job {
    final int segment;
    final Requester requester;
    List<String> caches;
    int nextCache;
    @Nullable SegmentRepair current;
    RepairStats stats = RepairStats.NONE;
    boolean refused;

    Job(int segment, List<String> caches, Requester requester) {
      this.segment = segment;
      this.caches = caches;
      this.requester = requester;
    }
  }

  /** How the repair of one cache ended. */
  private record Outcome(boolean finished, RepairStats stats) {}

  // ---- Jobs

  /**
   * Puts a segment in the queue.
   *
   * @param caches the caches; empty for all
   */
  synchronized void add(int segment, List<String> caches, Requester requester) {
    waiting.add(new Job(segment, caches, requester));
  }

  /** Whether what is added now begins soon. */
  synchronized boolean hasRoom() {
    return waiting.size() + inWork.size() < settings.maxSegments();
  }

  /** Whether nothing waits and nothing is in work. */
  synchronized boolean idle() {
    return waiting.isEmpty() && inWork.isEmpty();
  }

  private synchronized @Nullable Job take() {
    if (inWork.size() >= settings.maxSegments()) {
      return null;
    }
    for (Iterator<Job> jobs = waiting.iterator(); jobs.hasNext(); ) {
      Job job = jobs.next();
      if (!inWork.containsKey(job.segment)) {
        jobs.remove();
        inWork.put(job.segment, job);
        return job;
      }
    }
    return null;
  }

  private synchronized List<Job> jobs() {
    return new ArrayList<>(inWork.values());
  }

  private synchronized @Nullable SegmentRepair current(Job job) {
    return job.current;
  }

  /** Begins the next cache of a job that is at none, or has ended one; null if none is left. */
  private synchronized @Nullable SegmentRepair next(Job job) {
    SegmentTable table = lanes.table();
    if (table == null || !table.isPrimary(job.segment, settings.self())) {
      job.refused = true;
    }
    if (job.caches.isEmpty()) {
      job.caches = List.copyOf(lanes.cacheNames());
    }
    job.current = null;
    while (job.current == null && !job.refused && job.nextCache < job.caches.size()) {
      String cache = job.caches.get(job.nextCache++);
      if (lanes.hasLane(cache, job.segment)) {
        job.current =
            new SegmentRepair(cache, job.segment, settings, pace, numbers::incrementAndGet);
      }
    }
    return job.current;
  }

  /** Whether nothing is in work, and nothing waits for its turn. */
  synchronized boolean isIdle() {
    return waiting.isEmpty() && inWork.isEmpty();
  }

  // ---- Events

  /** Time goes on; by one thread. */
  void tick(long nowNanos) {
    pace.tick(nowNanos);
    for (Job job : jobs()) {
      SegmentRepair repair = current(job);
      if (repair != null) {
        drive(job, repair, SegmentRepair::tick);
      }
    }
    for (Job job = take(); job != null; job = take()) {
      begin(job);
    }
  }

  void compared(NodeId from, Compared message) {
    drive(
        message.cache(), message.segment(), (repair, lane) -> repair.compared(from, message, lane));
  }

  void repaired(NodeId from, RangeRepaired message) {
    drive(
        message.cache(), message.segment(), (repair, lane) -> repair.repaired(from, message, lane));
  }

  // ---- Driving

  private void drive(String cache, int segment, BiConsumer<SegmentRepair, LaneVisit> event) {
    Job job;
    SegmentRepair repair;
    synchronized (this) {
      job = inWork.get(segment);
      repair = job == null ? null : job.current;
    }
    if (job != null && repair != null && repair.cache().equals(cache)) {
      drive(job, repair, event);
    }
  }

  private void begin(Job job) {
    SegmentRepair first = next(job);
    if (first == null) {
      end(job);
    } else {
      drive(job, first, (repair, lane) -> {});
    }
  }

  private void drive(Job job, SegmentRepair begun, BiConsumer<SegmentRepair, LaneVisit> event) {
    SegmentRepair repair = begun;
    BiConsumer<SegmentRepair, LaneVisit> what = event;
    while (repair != null) {
      Outcome outcome = visit(repair, what);
      if (outcome == null || !ended(job, repair, outcome)) {
        return;
      }
      if (outcome.stats.differences() > 0) {
        listener.differed(repair.cache(), repair.segment(), outcome.stats);
      }
      repair = next(job);
      what = (goesOn, lane) -> {};
    }
    end(job);
  }

  /** Runs an event in the lane; null if the repair goes on. */
  private @Nullable Outcome visit(
      SegmentRepair repair, BiConsumer<SegmentRepair, LaneVisit> event) {
    Outcome[] outcome = {new Outcome(false, RepairStats.NONE)};
    lanes.visit(
        repair.cache(),
        repair.segment(),
        lane -> {
          event.accept(repair, lane);
          repair.proceed(lane);
          boolean over = repair.finished() || repair.abandoned();
          outcome[0] = over ? new Outcome(repair.finished(), repair.stats()) : null;
        });
    return outcome[0];
  }

  /** Takes note of an outcome, unless another thread has done so before. */
  private synchronized boolean ended(Job job, SegmentRepair repair, Outcome outcome) {
    if (job.current != repair) {
      return false;
    }
    job.current = null;
    job.stats = job.stats.plus(outcome.stats);
    job.refused |= !outcome.finished;
    return true;
  }

  private void end(Job job) {
    boolean done;
    RepairStats stats;
    synchronized (this) {
      inWork.remove(job.segment, job);
      done = !job.refused;
      stats = job.stats;
    }
    job.requester.ended(job.segment, done, stats);
  }
}
