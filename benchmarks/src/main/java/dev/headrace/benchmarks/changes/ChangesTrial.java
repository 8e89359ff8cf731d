package dev.headrace.benchmarks.changes;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Writers at full rate, and readers of the changes beside them. A value begins with the time at
 * which its put began; so a lag has the put in it.
 *
 * @param cluster a running system
 * @param entries which keys are written, and how large values are
 * @param writers threads that put
 * @param warmUpMillis time before anything counts
 * @param millis time that counts
 */
record ChangesTrial(
    SystemUnderTest cluster, Entries entries, int writers, int warmUpMillis, int millis) {

  /** What a slow reader does with each change. */
  private static final long SLOW_NANOS = 1_000_000;

  private static final long MAX_LAG_NANOS = 60_000_000_000L;
  private static final int DIGITS = 3;

  /**
   * What a trial has shown.
   *
   * @param puts per second
   * @param events that the first reader was told per second; 0 without one
   * @param lags of these in nanoseconds
   */
  record Outcome(double puts, double events, Histogram lags) {
    double lagMillis(double percentile) {
      return lags.getTotalCount() == 0
          ? Double.NaN
          : lags.getValueAtPercentile(percentile) / 1_000_000.0;
    }
  }

  /**
   * Runs it once.
   *
   * @param prompt whether a reader follows that does nothing with changes
   * @param slow whether another one needs a millisecond for each
   */
  Outcome run(boolean prompt, boolean slow) {
    long beginNanos = System.nanoTime() + warmUpMillis * 1_000_000L;
    long endNanos = beginNanos + millis * 1_000_000L;
    Histogram lags = new ConcurrentHistogram(MAX_LAG_NANOS, DIGITS);
    LongAdder events = new LongAdder();
    List<Runnable> ends = new ArrayList<>();
    if (prompt) {
      ends.add(
          follow(
              value -> {
                long now = System.nanoTime();
                long stamp = ByteBuffer.wrap(value).getLong();
                if (stamp - beginNanos >= 0 && now - stamp > 0) { // what was loaded has no stamp
                  lags.recordValue(Math.min(MAX_LAG_NANOS, now - stamp));
                }
                if (now - beginNanos >= 0 && now - endNanos < 0) {
                  events.increment();
                }
              }));
    }
    if (slow) {
      ends.add(follow(value -> LockSupport.parkNanos(SLOW_NANOS)));
    }
    try {
      long puts = write(beginNanos, endNanos);
      return new Outcome(puts * 1e3 / millis, events.sum() * 1e3 / millis, lags.copy());
    } finally {
      ends.forEach(Runnable::run);
    }
  }

  private Runnable follow(Consumer<byte[]> told) {
    return cluster.follow(Vantage.REMOTE_ONLY, told);
  }

  private long write(long beginNanos, long endNanos) {
    View view = cluster.view(Vantage.OWNER);
    LongAdder puts = new LongAdder();
    AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      SplittableRandom random = new SplittableRandom(i);
      Thread thread =
          new Thread(
              () -> {
                try {
                  puts.add(write(view, random, beginNanos, endNanos));
                } catch (RuntimeException e) {
                  failure.compareAndSet(null, e);
                }
              },
              "writer-" + i);
      threads.add(thread);
      thread.start();
    }
    threads.forEach(ChangesTrial::join);
    RuntimeException reason = failure.get();
    if (reason != null) {
      throw new IllegalStateException("A writer failed", reason);
    }
    return puts.sum();
  }

  /** Returns the puts that began in the time that counts. */
  private long write(View view, SplittableRandom random, long beginNanos, long endNanos) {
    long counted = 0;
    for (long now = System.nanoTime(); now - endNanos < 0; now = System.nanoTime()) {
      byte[] value = new byte[entries.valueBytes()];
      ByteBuffer.wrap(value).putLong(now);
      view.put(entries.key(random.nextInt(entries.count())), value);
      counted += now - beginNanos >= 0 ? 1 : 0;
    }
    return counted;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The trial was interrupted", e);
    }
  }
}
