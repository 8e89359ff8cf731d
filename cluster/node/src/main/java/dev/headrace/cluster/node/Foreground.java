package dev.headrace.cluster.node;

/**
 * Whether callers and streams ask this node for something right now, to within a few ticks: what
 * can wait then leaves them room. Thread-safe; the hot path writes once per tick.
 */
final class Foreground {

  /** An active caller asks again within a few milliseconds. */
  private static final long BUSY_NANOS = 20_000_000L;

  private volatile long tickNanos;
  private volatile long servedNanos;

  /** Nothing has been served so far. */
  Foreground(long nowNanos) {
    tickNanos = nowNanos;
    servedNanos = nowNanos - BUSY_NANOS;
  }

  void tick(long nowNanos) {
    tickNanos = nowNanos;
  }

  /** Something is being served. */
  void served() {
    long now = tickNanos;
    if (servedNanos != now) {
      servedNanos = now;
    }
  }

  boolean isBusy() {
    return tickNanos - servedNanos < BUSY_NANOS;
  }
}
