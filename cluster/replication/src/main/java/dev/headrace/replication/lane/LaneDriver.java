package dev.headrace.replication.lane;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs events in lanes, one after the other in each, and does what the lanes want done when their
 * monitors are free. Thread-safe.
 */
final class LaneDriver {

  /** Each lane gets a tick after so many of the node's at most. */
  private static final int MAX_TICKS_BETWEEN = 40;

  /** So many lanes get a tick at once, or more if there are very many. */
  private static final int LANES_PER_TICK = 32;

  private final Caches caches;
  private final TickQueue ticks;
  private final CreditWaiters waiters;
  private final Transport transport;
  private final LaneHost host;
  private final AtomicBoolean sealRequested = new AtomicBoolean();
  private volatile long nowNanos;

  /** Something that happens to a lane. */
  interface Event {
    void run(Lane lane, Effects effects);
  }

  LaneDriver(
      Caches caches, TickQueue ticks, CreditWaiters waiters, Transport transport, LaneHost host) {
    this.caches = caches;
    this.ticks = ticks;
    this.waiters = waiters;
    this.transport = transport;
    this.host = host;
  }

  /** The time of the last tick. */
  long nowNanos() {
    return nowNanos;
  }

  /** Runs an event in a lane, which is made if it is not there; does nothing before any table. */
  void drive(String cache, int segment, Event event) {
    LocalReplicas now = caches.local();
    if (now != null) {
      Objects.checkIndex(segment, now.table().segments());
      drive(caches.obtain(cache).lane(segment), now, event);
    }
  }

  /** Runs an event in a lane that has had one before. */
  void drive(Lane lane, Event event) {
    LocalReplicas now = caches.local();
    if (now != null) {
      drive(lane, now, event);
    }
  }

  /** Runs an event in a lane, then does what the lane wants done. */
  void drive(Lane lane, LocalReplicas seen, Event event) {
    Effects effects = new Effects(nowNanos);
    try {
      synchronized (lane) {
        LocalReplicas newest = caches.local();
        lane.adopt(newest == null ? seen : newest, effects);
        event.run(lane, effects);
        if (!lane.attended() && lane.unsettled()) {
          ticks.add(lane);
        }
      }
    } finally {
      carryOut(lane, effects);
    }
  }

  private void carryOut(Lane lane, Effects effects) {
    NodeId outdated = effects.outdated();
    if (outdated != null) {
      host.outdated(outdated, effects.outdatedEpoch());
    }
    for (int i = 0; i < effects.size(); i++) {
      Message message = effects.message(i);
      if (message instanceof HistoryRequest) {
        host.accompany(effects.receiver(i));
      }
      transport.send(effects.receiver(i), message);
    }
    if (!effects.crowded().isEmpty()) {
      effects.crowded().forEach(node -> waiters.add(node, lane));
    }
    NodeId ahead = effects.ahead();
    if (ahead != null) {
      host.behind(ahead);
    }
    String damage = effects.damage();
    if (damage != null) {
      host.damaged(lane.cache().name(), lane.segment(), damage);
    }
    NodeId keeper = effects.keeper();
    if (keeper != null) {
      host.giveBack(lane.segment(), effects.keptEpoch(), keeper);
    }
    if (effects.lostEpoch() >= 0) {
      host.lost(lane.segment(), effects.lostEpoch());
    }
    if (effects.otherCachesWoken()) {
      for (CacheSegments cache : caches.all()) {
        Lane other = cache.find(lane.segment());
        if (other != null && other != lane) {
          drive(other, Lane::othersRecovered);
        }
      }
    }
    if (effects.sealWanted() && sealRequested.compareAndSet(false, true)) {
      host.requestFirstWrite();
    }
  }

  /** There may be room for more chunks on their way to a node. */
  void roomFor(NodeId destination) {
    for (Lane next = waiters.next(destination); next != null; next = waiters.next(destination)) {
      drive(next, Lane::pump);
    }
  }

  /**
   * Time goes on.
   *
   * @param nowNanos a monotonic clock
   */
  void tick(long nowNanos) {
    this.nowNanos = nowNanos;
    sealRequested.set(false);
    int present = ticks.size();
    int due =
        Math.max(
            Math.min(present, LANES_PER_TICK),
            (present + MAX_TICKS_BETWEEN - 1) / MAX_TICKS_BETWEEN);
    for (int i = 0; i < due; i++) {
      Lane lane = ticks.poll();
      if (lane != null) {
        drive(lane, Lane::tick);
      }
    }
    // A lane may have come to wait when the room had just been given.
    waiters.destinations().forEach(this::roomFor);
  }
}
