package dev.headrace.replication.lane;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.log.RangeRequest;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.role.Role;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs events in lanes: brings the lane to the newest table, has it handle the event, decides
 * whether it needs ticks and room to read a range, and carries out its {@link Effects}.
 *
 * <p>Thread-safe. An event runs under the lane's monitor; its effects are carried out when the
 * monitor is free, so that two threads may send a lane's messages in another order than they were
 * made: receivers go by their numbers.
 */
final class LaneDriver {

  /** Each lane gets a tick after so long, or one of the node's ticks more. */
  private static final long MAX_NANOS_BETWEEN = 200_000_000L;

  /** So many lanes get a tick at once, or more if there are very many. */
  private static final int LANES_PER_TICK = 32;

  private final Caches caches;
  private final TickQueue ticks;
  private final RangeReads ranges;
  private final Transport transport;
  private final LaneHost host;
  private final AtomicBoolean firstWriteRequested = new AtomicBoolean(); // since the last tick
  private volatile long nowNanos;
  private volatile Consumer<Lane> advanced = lane -> {};

  /** Something that happens to a lane. */
  interface Event {

    /** Only the lane's table may be newer. */
    Event NEWEST_TABLE = (lane, effects) -> {};

    void run(Lane lane, Effects effects);
  }

  /**
   * @param ticks gets the lanes that wait for something that time moves on
   * @param transport takes messages to this node too
   */
  LaneDriver(
      Caches caches, TickQueue ticks, RangeReads ranges, Transport transport, LaneHost host) {
    this.caches = caches;
    this.ticks = ticks;
    this.ranges = ranges;
    this.transport = transport;
    this.host = host;
  }

  /** Calls somebody whenever more of a segment's history has become stable. */
  void onAdvance(Consumer<Lane> listener) {
    advanced = listener;
  }

  /** The time of the last tick. */
  long nowNanos() {
    return nowNanos;
  }

  /** Time goes on; lanes that wait for it get a tick, some of them if they are many. */
  void tick(long newNanos) {
    long passedNanos = Math.max(0, Math.min(MAX_NANOS_BETWEEN, newNanos - nowNanos));
    nowNanos = newNanos;
    firstWriteRequested.set(false);
    int present = ticks.size();
    long share = (present * passedNanos + MAX_NANOS_BETWEEN - 1) / MAX_NANOS_BETWEEN;
    long due = Math.min(present, Math.max(LANES_PER_TICK, share));
    for (int i = 0; i < due; i++) {
      Lane lane = ticks.poll();
      if (lane != null) {
        drive(lane, Lane::tick);
      }
    }
  }

  /** Runs an event in a lane, which is made if it is not there; does nothing before any table. */
  void drive(String cache, int segment, Event event) {
    LocalReplicas now = caches.local();
    if (now != null) {
      Objects.checkIndex(segment, now.table().segments());
      drive(caches.obtain(cache).lane(segment), event);
    }
  }

  /**
   * Brings a lane to the newest table, if nothing has happened to it since that came. Otherwise the
   * lanes of a quiet cluster would keep all tables in memory under which something happened to
   * them.
   */
  void renew(Lane lane) {
    LocalReplicas newest = caches.local();
    boolean behind;
    synchronized (lane) {
      behind = newest != null && lane.isBehind(newest);
    }
    if (behind) {
      drive(lane, Event.NEWEST_TABLE);
    }
  }

  /** Runs an event in a lane. */
  void drive(Lane lane, Event event) {
    drive(lane, event, transport);
  }

  /** Runs an event in a lane, whose messages go through another transport. */
  void drive(Lane lane, Event event, Transport through) {
    Effects effects = new Effects(nowNanos);
    boolean reads = false;
    boolean moreStable = false;
    try {
      synchronized (lane) {
        Role before = lane.role();
        boolean served = lane.servingPrimary() != null;
        LocalReplicas newest = Objects.requireNonNull(caches.local()); // or there were no lane
        try {
          lane.adopt(newest, effects);
          event.run(lane, effects);
          if (!lane.attended() && lane.unsettled()) {
            ticks.add(lane);
          }
        } finally {
          reads = ranges.attend(lane, effects);
          // A new role may have nothing to tell, which readers must know, too; and a primary that
          // has become one knows what was undone.
          moreStable =
              lane.history().changes().takeAdvanced()
                  || lane.role() != before
                  || (lane.servingPrimary() != null) != served;
        }
      }
    } finally {
      carryOut(lane, effects, through);
      if (reads) {
        ranges.admit(this);
      }
      if (moreStable) {
        advanced.accept(lane);
      }
    }
  }

  private void carryOut(Lane lane, Effects effects, Transport through) {
    try {
      tell(lane, effects, through);
    } finally { // the others of their keys wait for them
      for (ProcessorRun run : effects.processorRuns()) {
        host.process(
            run,
            decision -> drive(lane, (driven, after) -> driven.processed(run, decision, after)));
      }
    }
  }

  private void tell(Lane lane, Effects effects, Transport through) {
    NodeId outdated = effects.outdated();
    if (outdated != null) {
      host.outdated(outdated, effects.outdatedEpoch());
    }
    for (int i = 0; i < effects.size(); i++) {
      Message message = effects.message(i);
      if (message instanceof HistoryRequest) {
        host.accompany(effects.receiver(i));
      }
      through.send(effects.receiver(i), message);
    }
    RangeRequest range = effects.range();
    if (range != null) {
      ranges.read(lane, range, this);
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
      wakeOtherCaches(lane);
    }
    if (effects.firstWriteWanted() && firstWriteRequested.compareAndSet(false, true)) {
      host.requestFirstWrite();
    }
  }

  private void wakeOtherCaches(Lane lane) {
    for (CacheSegments cache : caches.all()) {
      Lane other = cache.find(lane.segment());
      if (other != null && other != lane) {
        drive(other, (driven, effects) -> driven.role().othersRecovered(effects));
      }
    }
  }
}
