package dev.headrace.cluster.ingest;

import dev.headrace.stream.Timer;
import dev.headrace.stream.Timer.Cancellable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task again as long as anybody has asked for it meanwhile, on one thread at a time. Whoever
 * asks only counts, unless nobody is at it.
 */
final class DrainLoop {
  private static final Logger LOG = LoggerFactory.getLogger(DrainLoop.class);

  private final Timer timer;
  private final Executor ofNode;
  private final @Nullable Executor executor;
  private final Runnable pass;
  private final AtomicInteger wanted = new AtomicInteger();
  private final AtomicBoolean warned = new AtomicBoolean();

  /** Whether the alarm has rung: perhaps a little early, by another clock. */
  private volatile boolean alarmRang;

  /** The last run that was given to the user's executor. */
  private volatile @Nullable HandOver latest;

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
    HandOver given = latest;
    if (given != null) {
      given.instead();
    }
  }

  private void handOver() {
    if (executor == null) {
      ofNode.execute(this::drain);
      return;
    }
    HandOver handOver = new HandOver();
    latest = handOver;
    if (takenOver) {
      handOver.instead();
      return;
    }
    try {
      executor.execute(handOver);
    } catch (RuntimeException | Error refused) { // of an executor that is closed, full or broken
      warn(refused);
      handOver.instead();
    } finally {
      handOver.over();
    }
  }

  /** Tells once that the sink runs on other threads than its user wants. */
  private void warn(Throwable refused) {
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "The executor of a sink refuses its work, which the node's own threads do instead: keep"
              + " it open, with room for one task, until the sink has ended",
          refused);
    }
  }

  /**
   * One run that was given to the user's executor. Only one thread drains for it, whether the
   * executor runs it twice, or runs it and then throws. Each has its own: while one thread still
   * returns from the executor, another one may be giving it the next run.
   */
  private final class HandOver implements Runnable {
    private final AtomicBoolean begun = new AtomicBoolean();

    /** The thread that is giving it to the executor; null when it has done so. */
    private volatile @Nullable Thread giving = Thread.currentThread();

    @Override
    public void run() {
      if (Thread.currentThread() == giving) {
        // The executor runs tasks at once: user code would run on one of the node's threads.
        instead();
      } else if (begun.compareAndSet(false, true)) {
        drain();
      }
    }

    /** Has the node's executor run it. */
    void instead() {
      if (begun.compareAndSet(false, true)) {
        ofNode.execute(DrainLoop.this::drain);
      }
    }

    void over() {
      giving = null;
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
