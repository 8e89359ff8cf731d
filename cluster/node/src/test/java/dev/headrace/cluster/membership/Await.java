package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A condition that other threads bring about, awaited under a monitor that they notify. */
final class Await {
  private static final long RECHECK_MILLIS = 20;

  private final Object monitor = new Object();

  /** To be called after each change; conditions nobody announces are looked at now and then. */
  void changed() {
    synchronized (monitor) {
      monitor.notifyAll();
    }
  }

  /** Returns once the condition holds; fails when the deadline has passed. */
  void until(String what, Duration limit, BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + limit.toNanos();
    try {
      synchronized (monitor) {
        while (!condition.getAsBoolean()) {
          if (System.nanoTime() - deadlineNanos > 0) {
            fail("Not within " + limit + ": " + what);
          }
          monitor.wait(RECHECK_MILLIS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail("Interrupted while waiting: " + what, e);
    }
  }
}
