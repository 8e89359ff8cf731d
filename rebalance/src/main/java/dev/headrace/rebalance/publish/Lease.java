package dev.headrace.rebalance.publish;

/**
 * A node's right to serve for a while (Gray, Cheriton 1989).
 *
 * <p>It ends a fixed time after the node sent its latest answer that the coordinator is known to
 * have got while a quorum was with it. All times are the node's own, of a monotonic clock, so that
 * clocks need not agree; they must go equally fast.
 *
 * <p>A coordinator echoes only within {@code L} after a quorum began to answer it, and what it
 * echoes was sent before: so a node that a quorum has given up stops at most {@code 2 L} later.
 */
public final class Lease {
  /** A lease that never ends: there is nothing to protect, or nobody wants it protected. */
  public static final long ALWAYS = Long.MAX_VALUE;

  public static final long NEVER = Long.MIN_VALUE;

  private final long lengthNanos;
  private long untilNanos = NEVER;

  /** A lease that was not granted yet. */
  public Lease(long lengthNanos) {
    this.lengthNanos = lengthNanos;
  }

  /** An answer that was sent at a time has been echoed. */
  public void echoed(long sentNanos) {
    long until = sentNanos + lengthNanos;
    if (untilNanos == NEVER || until - untilNanos > 0) {
      untilNanos = until;
    }
  }

  public long untilNanos() {
    return untilNanos;
  }

  /** Whether something that ends at a point in time is still going on. */
  public static boolean isValid(long untilNanos, long nowNanos) {
    return untilNanos == ALWAYS || (untilNanos != NEVER && nowNanos - untilNanos < 0);
  }
}
