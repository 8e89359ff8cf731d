package dev.headrace.benchmarks.peer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for clusters that offer no event to wait for. */
public final class Waiting {

  private static final int LIMIT_SECONDS = 60;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Waiting() {}

  /**
   * Returns once the condition holds.
   *
   * @throws IllegalStateException if it does not within a minute
   */
  public static void until(String what, BooleanSupplier condition) {
    if (!within(LIMIT_SECONDS, condition)) {
      throw new IllegalStateException("Waited a minute in vain for " + what);
    }
  }

  /** Returns whether the condition came to hold within so many seconds. */
  public static boolean within(int seconds, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(seconds)) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /**
   * Lets a window of a measurement pass.
   *
   * @throws InterruptedException if the measurement is to end
   */
  public static void pass(long millis) throws InterruptedException {
    long start = System.nanoTime();
    long left = TimeUnit.MILLISECONDS.toNanos(millis);
    while (left > 0) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException("A window of a measurement was cut short");
      }
      left = TimeUnit.MILLISECONDS.toNanos(millis) - (System.nanoTime() - start);
    }
  }
}
