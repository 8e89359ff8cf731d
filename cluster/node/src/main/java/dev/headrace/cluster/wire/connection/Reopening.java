package dev.headrace.cluster.wire.connection;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a lost connection may be opened again, with growing delays while that fails. Guarded
 * by its {@link Link}'s lock.
 */
final class Reopening {
  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int MAX_DELAY_DOUBLINGS = 7;

  private int failures;
  private long lastNanos;

  void failed(long nowNanos) {
    failures++;
    lastNanos = nowNanos;
  }

  void succeeded() {
    failures = 0;
  }

  /** The delay from now on; zero or negative if the connection may be opened at once. */
  long delayNanos(long nowNanos) {
    if (failures == 0) {
      return 0;
    }
    int doublings = Math.min(failures - 1, MAX_DELAY_DOUBLINGS);
    return lastNanos + (FIRST_DELAY_NANOS << doublings) - nowNanos;
  }
}
