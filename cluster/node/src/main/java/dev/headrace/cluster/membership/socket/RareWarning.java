package dev.headrace.cluster.membership.socket;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Limits the rate of warnings that come again and again. Thread-safe. */
public final class RareWarning {
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Logger log;

  // Guarded by this.
  private long toldNanos = System.nanoTime() - QUIET_NANOS;
  private int untold;

  /** Warnings of one kind. */
  public RareWarning(Logger log) {
    this.log = log;
  }

  /** Warns, unless it has in the last seconds; what was left out is counted then. */
  public void warn(String text) {
    int before;
    synchronized (this) {
      long now = System.nanoTime();
      if (now - toldNanos < QUIET_NANOS) {
        untold++;
        return;
      }
      toldNanos = now;
      before = untold;
      untold = 0;
    }
    log.warn(before == 0 ? text : text + " (and " + before + " others before)");
  }
}
