package dev.headrace.cluster.service;

/**
 * Tells whether callers or streams use this node now, to within a few ticks, so that background
 * work can make room. Thread-safe; the hot path writes once per tick.
 */
public final class Foreground {

  /** An active caller sends its next request within a few milliseconds. */
  private static final long BUSY_NANOS = 20_000_000L;

  private volatile long tickNanos;
  private volatile long servedNanos;

  /** Starts idle. */
  public Foreground(long nowNanos) {
    tickNanos = nowNanos;
    servedNanos = nowNanos - BUSY_NANOS;
  }

  public void tick(long nowNanos) {
    tickNanos = nowNanos;
  }

  /** A request is being served. */
  void served() {
    long now = tickNanos;
    if (servedNanos != now) {
      servedNanos = now;
    }
  }

  public boolean isBusy() {
    return tickNanos - servedNanos < BUSY_NANOS;
  }
}
