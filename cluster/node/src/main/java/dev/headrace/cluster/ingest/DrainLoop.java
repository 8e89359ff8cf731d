package dev.headrace.cluster.ingest;

import dev.headrace.stream.Timer.Cancellable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task again as long as anybody has asked for it meanwhile, on one thread at a time. Whoever
 * asks only counts, unless nobody is at it.
 */
final class DrainLoop {
  private final SinkEnvironment environment;
  private final @Nullable Executor executor;
  private final Runnable pass;
  private final Runnable drain = this::drainUnlessHere;
  private final AtomicInteger wanted = new AtomicInteger();

  /** A thread that is passing the loop to the user's executor at this moment. */
  private volatile @Nullable Thread passing;

  /** Whether the alarm has rung: perhaps a little early, by another clock. */
  private volatile boolean alarmRang;

  // Used by the loop.
  private @Nullable Cancellable alarm;
  private long alarmNanos;

  /**
   * @param executor the user's; null for the node's
   * @param pass one run
   */
  DrainLoop(SinkEnvironment environment, @Nullable Executor executor, Runnable pass) {
    this.environment = environment;
    this.executor = executor;
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

  private void handOver() {
    if (executor == null) {
      environment.executor().execute(this::drain);
      return;
    }
    passing = Thread.currentThread();
    try {
      executor.execute(drain);
    } catch (RejectedExecutionException refused) {
      environment.executor().execute(this::drain);
    } finally {
      passing = null;
    }
  }

  /** An executor that runs its tasks at once would run user code on one of the node's threads. */
  private void drainUnlessHere() {
    if (Thread.currentThread() == passing) {
      environment.executor().execute(this::drain);
    } else {
      drain();
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
    alarm = environment.timer().schedule(delayNanos, this::ring);
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
