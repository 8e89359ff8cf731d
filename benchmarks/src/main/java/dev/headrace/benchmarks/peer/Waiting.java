package dev.headrace.benchmarks.peer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for clusters that offer no event to wait for. */
final class Waiting {

  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Waiting() {}

  /**
   * Returns once the condition holds.
   *
   * @throws IllegalStateException if it does not within a minute
   */
  static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw new IllegalStateException("Waited a minute in vain for " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
