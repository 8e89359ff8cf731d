package dev.headrace.benchmarks.http.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * One run: releases requests when they are due, and notes their answers.
 *
 * <p>The thread of {@link #pace} sleeps until the next request is due and wakes the event loop;
 * everything else belongs to the event loop. An event loop that would keep the time itself wakes on
 * whole milliseconds only, twenty times the interval of requests.
 */
final class LoadRun {
  /** The connections are idle for a moment before the first request. */
  private static final long LEAD_NANOS = 20_000_000;

  /** The event loop is not woken more often than this. */
  private static final long PACE_NANOS = 50_000;

  private static final long MAX_PACE_NANOS = 1_000_000;

  /** A run ends when the node is so far behind. */
  private static final long GIVE_UP_NANOS = 3_000_000_000L;

  private static final long CHECK_NANOS = 10_000_000;

  private final RequestSchedule schedule;
  private final EntityRequests requests;
  private final List<LoadConnection> connections = new ArrayList<>();
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicBoolean pumping = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private long beginNanos; // set before the event loop hears of the run

  // Used by the event loop until the run has ended.
  private long released;
  private long answered;
  private long unanswered;
  private long errors;
  private String firstError = "";
  private long lastNanos;
  private long checkedNanos;
  private boolean over;

  LoadRun(LoadPlan plan) {
    schedule = plan.schedule();
    requests = new EntityRequests(plan.work());
    for (int i = 0; i < schedule.connections(); i++) {
      connections.add(new LoadConnection(this, i, schedule.connections()));
    }
  }

  /** The handlers of its connections, in the order of their turns. */
  List<LoadConnection> connections() {
    return connections;
  }

  /**
   * Lets the run happen. The connections are open.
   *
   * @return what it has shown, but for the CPU time
   */
  LoadOutcome pace(EventLoop loop) {
    beginNanos = System.nanoTime() + LEAD_NANOS;
    while (ended.getCount() > 0) {
      if (pumping.compareAndSet(false, true)) {
        loop.execute(this::pump);
      }
      long elapsed = System.nanoTime() - beginNanos;
      long untilNext = schedule.dueNanos(schedule.dueBy(elapsed)) - elapsed;
      LockSupport.parkNanos(Math.max(PACE_NANOS, Math.min(MAX_PACE_NANOS, untilNext)));
    }
    return new LoadOutcome(
        answered,
        unanswered,
        errors,
        firstError,
        Math.max(1, lastNanos - beginNanos) / 1e9,
        0,
        latencies);
  }

  private void pump() {
    pumping.set(false);
    long now = System.nanoTime();
    for (long due = schedule.dueBy(now - beginNanos); released < due && !over; released++) {
      connections.get(schedule.connection(released)).release();
    }
    if (now - checkedNanos > CHECK_NANOS) {
      checkedNanos = now;
      giveUpIfBehind(now);
    }
  }

  /** Ends a run whose latencies would only tell how long it was. All at once is never behind. */
  private void giveUpIfBehind(long now) {
    if (over || schedule.perSecond() == 0) {
      return;
    }
    for (LoadConnection each : connections) {
      long oldest = each.oldest();
      if (oldest >= 0 && latency(oldest, now) > GIVE_UP_NANOS) {
        end(now);
        return;
      }
    }
  }

  private void end(long now) {
    over = true;
    lastNanos = now;
    for (LoadConnection each : connections) {
      long number = each.oldest();
      for (long left = each.unanswered(); left > 0; left--) {
        latencies.record(latency(number, now));
        unanswered++;
        number += schedule.connections();
      }
    }
    ended.countDown();
  }

  private long latency(long number, long now) {
    return now - beginNanos - schedule.dueNanos(number);
  }

  // ---- The connections, on the event loop

  boolean isOver() {
    return over;
  }

  ByteBuf request(ByteBufAllocator buffers, long number) {
    return requests.render(buffers, number);
  }

  void answered(long number, int status, long bodyBytes) {
    if (over) {
      return;
    }
    long now = System.nanoTime();
    latencies.record(latency(number, now));
    answered++;
    if (!requests.isExpected(number, status, bodyBytes)) {
      error("request " + number + " was answered with " + status + ", " + bodyBytes + " bytes");
    }
    if (answered == schedule.requests()) {
      end(now);
    }
  }

  /** A connection is of no use any more, and so is the run. */
  void broken(String why) {
    if (!over) {
      error(why);
      end(System.nanoTime());
    }
  }

  private void error(String text) {
    errors++;
    if (firstError.isEmpty()) {
      firstError = text;
    }
  }
}
