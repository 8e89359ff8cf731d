package dev.headrace.replication.lane;

import dev.headrace.replication.log.Turn;
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
  private final Attention attention;
  private final Crowd crowd;
  private final Transport transport;
  private final LaneHost host;
  private final AtomicBoolean sealRequested = new AtomicBoolean();
  private volatile long nowNanos;

  /** Something that happens to a lane. */
  interface Event {
    void run(Lane lane, Turn turn);
  }

  LaneDriver(Caches caches, Attention attention, Crowd crowd, Transport transport, LaneHost host) {
    this.caches = caches;
    this.attention = attention;
    this.crowd = crowd;
    this.transport = transport;
    this.host = host;
  }

  /** The time of the last tick. */
  long nowNanos() {
    return nowNanos;
  }

  /** Runs an event in a lane, which is made if it is not there; does nothing before any table. */
  void drive(String cache, int segment, Event event) {
    Holdings now = caches.holdings();
    if (now != null) {
      Objects.checkIndex(segment, now.table().segments());
      drive(caches.obtain(cache).lane(segment), now, event);
    }
  }

  /** Runs an event in a lane that has had one before. */
  void drive(Lane lane, Event event) {
    Holdings now = caches.holdings();
    if (now != null) {
      drive(lane, now, event);
    }
  }

  /** Runs an event in a lane, then does what the lane wants done. */
  void drive(Lane lane, Holdings seen, Event event) {
    Turn turn = new Turn(nowNanos);
    try {
      synchronized (lane) {
        Holdings newest = caches.holdings();
        lane.adopt(newest == null ? seen : newest, turn);
        event.run(lane, turn);
        if (!lane.attended() && lane.unsettled()) {
          attention.add(lane);
        }
      }
    } finally {
      carryOut(lane, turn);
    }
  }

  private void carryOut(Lane lane, Turn turn) {
    NodeId outdated = turn.outdated();
    if (outdated != null) {
      host.outdated(outdated, turn.outdatedEpoch());
    }
    for (int i = 0; i < turn.size(); i++) {
      Message message = turn.message(i);
      if (message instanceof HistoryRequest) {
        host.accompany(turn.receiver(i));
      }
      transport.send(turn.receiver(i), message);
    }
    if (!turn.crowded().isEmpty()) {
      turn.crowded().forEach(node -> crowd.add(node, lane));
    }
    NodeId ahead = turn.ahead();
    if (ahead != null) {
      host.behind(ahead);
    }
    String damage = turn.damage();
    if (damage != null) {
      host.damaged(lane.cache().name(), lane.segment(), damage);
    }
    NodeId keeper = turn.keeper();
    if (keeper != null) {
      host.giveBack(lane.segment(), turn.keptEpoch(), keeper);
    }
    if (turn.lostEpoch() >= 0) {
      host.lost(lane.segment(), turn.lostEpoch());
    }
    if (turn.otherCachesWoken()) {
      for (CacheSegments cache : caches.all()) {
        Lane other = cache.find(lane.segment());
        if (other != null && other != lane) {
          drive(other, Lane::othersRecovered);
        }
      }
    }
    if (turn.sealWanted() && sealRequested.compareAndSet(false, true)) {
      host.requestSeal();
    }
  }

  /** There may be room for more chunks on their way to a node. */
  void roomFor(NodeId destination) {
    for (Lane next = crowd.next(destination); next != null; next = crowd.next(destination)) {
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
    int present = attention.size();
    int due =
        Math.max(
            Math.min(present, LANES_PER_TICK),
            (present + MAX_TICKS_BETWEEN - 1) / MAX_TICKS_BETWEEN);
    for (int i = 0; i < due; i++) {
      Lane lane = attention.poll();
      if (lane != null) {
        drive(lane, Lane::tick);
      }
    }
    // A lane may have come to wait when the room had just been given.
    crowd.destinations().forEach(this::roomFor);
  }
}
