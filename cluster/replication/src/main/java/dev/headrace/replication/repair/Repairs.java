package dev.headrace.replication.repair;

import dev.headrace.api.RepairReport;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * All that a node does to compare replicas and to repair them: as a backup it answers, as a primary
 * it goes through its segments, once per interval and when it is ordered to, and it can order that
 * from all primaries of the cluster.
 *
 * <p>Thread-safe. {@link #tick} is called by one thread every few milliseconds.
 */
public final class Repairs {
  /**
   * The most orders at the same time; further ones are ignored until one of them is over. Those
   * that are over are kept as long as there is room, since the last report may be lost.
   */
  static final int MAX_JOBS = 16;

  private final RepairSettings settings;
  private final Lanes lanes;
  private final Transport transport;
  private final RepairPool pool;
  private final Schedule schedule;
  private final List<RepairJob> jobs = new CopyOnWriteArrayList<>();
  private final List<ClusterRepair> orders = new CopyOnWriteArrayList<>();
  private final AtomicLong orderIds = new AtomicLong();
  private volatile long nowNanos;

  /**
   * @param transport takes messages to this node too
   */
  public Repairs(
      RepairSettings settings, Lanes lanes, Transport transport, RepairListener listener) {
    this.settings = settings;
    this.lanes = lanes;
    this.transport = transport;
    this.pool = new RepairPool(settings, lanes, listener);
    this.schedule = new Schedule(settings.intervalMillis());
  }

  /**
   * Orders a repair of all segments from their primaries.
   *
   * @param caches the caches; empty for all
   * @param progress is told how far it is; called on any thread, must not block
   * @return completed on any thread
   * @throws IllegalStateException before the first table
   */
  public CompletionStage<RepairReport> order(Set<String> caches, Consumer<RepairReport> progress) {
    SegmentTable table = lanes.table();
    if (table == null) {
      throw new IllegalStateException("this node has not joined a cluster yet");
    }
    ClusterRepair clusterRepair =
        new ClusterRepair(
            orderIds.incrementAndGet(),
            List.copyOf(caches),
            table.segments(),
            settings.orderPatienceNanos(),
            progress);
    orders.add(clusterRepair);
    return clusterRepair.result();
  }

  public void received(NodeId from, RepairMessage message) {
    if (message instanceof Compare compare) {
      lanes.visit(from, compare, lane -> Copies.compare(from, compare, lane));
    } else if (message instanceof Compared compared) {
      pool.compared(from, compared);
    } else if (message instanceof RepairRange range) {
      lanes.visit(from, range, lane -> Copies.repair(from, range, lane));
    } else if (message instanceof RangeRepaired repaired) {
      pool.repaired(from, repaired);
    } else if (message instanceof Order order) {
      ordered(from, order);
    } else if (message instanceof Report report) {
      orders.stream()
          .filter(clusterRepair -> clusterRepair.id() == report.id())
          .forEach(clusterRepair -> clusterRepair.reported(from, report, nowNanos));
    }
  }

  private void ordered(NodeId from, Order order) {
    SegmentTable table = lanes.table();
    if (table == null) {
      return; // It will be ordered again.
    }
    RepairJob job;
    synchronized (jobs) {
      job = jobs.stream().filter(known -> known.is(from, order.id())).findFirst().orElse(null);
      if (job == null && hasRoomForJob()) {
        job = new RepairJob(from, order, nowNanos);
        jobs.add(job);
      }
    }
    if (job != null) {
      job.take(order, table.segments(), nowNanos, pool);
    }
  }

  private boolean hasRoomForJob() {
    if (jobs.size() >= MAX_JOBS) {
      jobs.stream().filter(RepairJob::isOver).findFirst().ifPresent(jobs::remove);
    }
    return jobs.size() < MAX_JOBS;
  }

  /**
   * Time goes on.
   *
   * @param nowNanos a monotonic clock
   * @param clusterMillis the cluster's time
   * @param busy whether to skip the scheduled repair
   */
  public void tick(long nowNanos, long clusterMillis, boolean busy) {
    this.nowNanos = nowNanos;
    SegmentTable table = lanes.table();
    if (table == null) {
      return;
    }
    for (ClusterRepair clusterRepair : orders) {
      clusterRepair.orders(table, nowNanos).forEach(transport::send);
    }
    orders.removeIf(ClusterRepair::over);
    if (!busy && !lanes.isCopying()) {
      followSchedule(table, clusterMillis);
    }
    pool.tick(nowNanos);
    report(nowNanos);
  }

  /** Whether no segment is being repaired here, or waits for it. */
  public boolean isIdle() {
    return pool.isIdle();
  }

  private void followSchedule(SegmentTable table, long clusterMillis) {
    while (pool.hasRoom()) {
      int segment = schedule.due(table.segments(), clusterMillis);
      if (segment < 0) {
        return;
      }
      if (table.isPrimary(segment, settings.self())) {
        pool.add(segment, List.of(), (ended, done, stats) -> {});
      }
    }
  }

  private void report(long nowNanos) {
    List<RepairJob> forgotten = new ArrayList<>(0);
    for (RepairJob job : jobs) {
      Report report = job.report(nowNanos);
      if (report != null) {
        transport.send(job.requester(), report);
      }
      if (job.forgotten(nowNanos, settings.orderPatienceNanos())) {
        forgotten.add(job);
      }
    }
    jobs.removeAll(forgotten);
  }

  /** Whether nothing is in work here, and nothing was ordered. */
  public boolean idle() {
    return pool.idle() && orders.isEmpty();
  }

  /** Ends what was ordered here. */
  public void close(RuntimeException reason) {
    orders.forEach(clusterRepair -> clusterRepair.fail(reason));
  }
}
