package dev.headrace.cluster.ingest;

import dev.headrace.cluster.cache.UserExecutor;
import dev.headrace.stream.Timer;
import dev.headrace.stream.Timer.Cancellable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task again as long as anybody has asked for it meanwhile, on one thread at a time. Whoever
 * asks only counts, unless nobody is at it.
 */
final class DrainLoop {
  private final Timer timer;
  private final Executor ofNode;
  private final @Nullable UserExecutor executor;
  private final Runnable pass;
  private final AtomicInteger wanted = new AtomicInteger();

  /** Whether the alarm has rung: perhaps a little early, by another clock. */
  private volatile boolean alarmRang;

  /** The last run that was given to the user's executor. */
  private volatile UserExecutor.@Nullable HandOver latest;

  private volatile boolean takenOver;

  // Used by the loop.
  private @Nullable Cancellable alarm;
  private long alarmNanos;

  /**
   * @param ofNode the node's executor for what may call user code
   * @param executor the user's; null for the node's
   * @param pass one run
   */
  DrainLoop(Timer timer, Executor ofNode, @Nullable Executor executor, Runnable pass) {
    this.timer = timer;
    this.ofNode = ofNode;
    this.executor = executor == null ? null : new UserExecutor(executor, ofNode, "a sink");
    this.pass = pass;
  }

  /** Asks for a run, on this thread if nobody is at it. For threads that may run user code. */
  void runHere() {
    if (wanted.getAndIncrement() == 0) {
      drain();
    }
  }

  /** Asks for a run, on the executor if nobody is at it. */
  void schedule() {
    if (wanted.getAndIncrement() == 0) {
      handOver();
    }
  }

  /**
   * Asks for a run, now and later without the user's executor, which may never run what it has
   * taken: because it was closed, or drops what is too much.
   */
  void takeOver() {
    takenOver = true; // before looking for what was given: either side sees the other
    if (wanted.getAndIncrement() == 0) {
      ofNode.execute(this::drain);
      return;
    }
    UserExecutor.HandOver given = latest;
    if (given != null) {
      given.instead();
    }
  }

  private void handOver() {
    UserExecutor given = executor;
    if (given == null) {
      ofNode.execute(this::drain);
      return;
    }
    UserExecutor.HandOver handOver = given.prepare(this::drain);
    latest = handOver;
    if (takenOver) {
      handOver.instead();
    } else {
      given.give(handOver);
    }
  }

  private void drain() {
    int seen = wanted.get();
    while (seen != 0) {
      pass.run();
      seen = wanted.addAndGet(-seen);
    }
  }

  /** Asks for a run after a time, unless one comes earlier. Of the loop. */
  void wakeIn(long delayNanos, long nowNanos) {
    if (delayNanos == Long.MAX_VALUE) {
      return;
    }
    long atNanos = nowNanos + delayNanos;
    if (alarm != null && !alarmRang && alarmNanos - atNanos <= 0) {
      return;
    }
    if (alarm != null) {
      alarm.cancel();
    }
    alarmNanos = atNanos;
    alarmRang = false;
    alarm = timer.schedule(delayNanos, this::ring);
  }

  private void ring() {
    alarmRang = true;
    schedule();
  }

  /** No run is needed any more. Of the loop. */
  void end() {
    if (alarm != null) {
      alarm.cancel();
    }
  }
}
