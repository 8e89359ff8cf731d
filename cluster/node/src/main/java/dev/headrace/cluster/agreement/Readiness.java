package dev.headrace.cluster.agreement;

import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.SegmentTable;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node may serve the segments that it owns. It needs a table, a lease, and the cluster's
 * time, without which nothing expires.
 *
 * <pre>
 * state     event  guard                                          next      effects
 * ---------------------------------------------------------------------------------------------
 * JOINING   tick   there is a table                               SETTLING
 * SETTLING  tick   the clock is accurate, or 2 s have passed      IN_USE    the clock settles;
 *                                                                           the node has joined
 * any       lease                                                 same      IN_USE serves until
 *                                                                           the lease ends
 * </pre>
 *
 * <p>Ticks come on one thread; {@link #mayServe} is for any.
 */
public final class Readiness {

  /** After this time a node with slow lines is used with its best estimate of the time. */
  private static final long CLOCK_PATIENCE_NANOS = 2_000_000_000L;

  private enum State {
    JOINING,
    SETTLING,
    IN_USE
  }

  private final ClusterClock clock;
  private final Admission admission;
  private long settlingNanos; // used by the thread that ticks
  private volatile State state = State.JOINING;
  private volatile long leaseUntilNanos = Lease.NEVER;

  /**
   * @param admission told when the node has joined
   */
  public Readiness(ClusterClock clock, Admission admission) {
    this.clock = clock;
    this.admission = admission;
  }

  /**
   * Time has passed.
   *
   * @param table the newest, or null before the first one
   */
  public void tick(@Nullable SegmentTable table, long nowNanos) {
    if (state == State.JOINING && table != null) {
      settlingNanos = nowNanos;
      state = State.SETTLING;
    }
    boolean settled = clock.isAccurate() || nowNanos - settlingNanos >= CLOCK_PATIENCE_NANOS;
    if (state == State.SETTLING && table != null && settled) {
      clock.settle();
      state = State.IN_USE;
      admission.taken(table);
    }
  }

  /** The node has a lease, see {@link Lease#isValid}. */
  public void leased(long untilNanos) {
    leaseUntilNanos = untilNanos;
  }

  /** How long the lease still lasts; {@link Long#MAX_VALUE} if there are none. */
  public long leaseNanos(long nowNanos) {
    long until = leaseUntilNanos;
    if (until == Lease.ALWAYS) {
      return Long.MAX_VALUE;
    }
    return Lease.isValid(until, nowNanos) ? until - nowNanos : 0;
  }

  /** Whether the node has a table and the cluster's time. */
  public boolean isInUse() {
    return state == State.IN_USE;
  }

  /** Whether the node may answer now for the segments that it owns. */
  public boolean mayServe(long nowNanos) {
    return state == State.IN_USE && Lease.isValid(leaseUntilNanos, nowNanos);
  }
}
