package dev.headrace.replication.repair;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How fast a node may hash: a bucket that fills with time. A step may overdraw it; then nothing
 * begins until it has filled again. Thread-safe.
 */
final class Pace {
  /** What a step costs at the least, so that empty segments take their time too. */
  static final long LEAST_BYTES = 4096;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long FULL_NANOS = NANOS_PER_SECOND / 20;

  private final long bytesPerSecond;
  private final AtomicLong credit = new AtomicLong();
  private boolean started; // this and the next by the ticking thread only
  private long filledNanos;

  Pace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Time goes on; by one thread. */
  void tick(long nowNanos) {
    long more = started ? bytesIn(nowNanos - filledNanos) : full();
    if (more > 0) {
      // Otherwise the time counts with the next tick, however slow the pace is.
      started = true;
      filledNanos = nowNanos;
      credit.updateAndGet(now -> Math.min(full(), now + more));
    }
  }

  private long full() {
    return Math.max(1, bytesIn(FULL_NANOS));
  }

  private long bytesIn(long nanos) {
    return (long) ((double) bytesPerSecond * nanos / NANOS_PER_SECOND);
  }

  /** Whether a step may begin. */
  boolean permits() {
    return credit.get() > 0;
  }

  /** A step has hashed so much. */
  void spend(long bytes) {
    credit.addAndGet(-Math.max(LEAST_BYTES, bytes));
  }
}
