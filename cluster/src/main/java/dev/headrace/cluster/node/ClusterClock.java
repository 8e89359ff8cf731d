package dev.headrace.cluster.node;

import java.util.function.LongSupplier;

/**
 * Cluster time in milliseconds: the machine's monotonic clock, set once to the time of the cluster
 * that the node joins. Wall clocks may jump afterwards without any effect on expiry.
 *
 * <p>The founding node takes its wall clock; every other node takes the coordinator's cluster time
 * with its first segment table, so that a successor of the coordinator goes on with the same time.
 * Nodes differ by at most the time that the first table was under way.
 */
final class ClusterClock implements LongSupplier {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier nanoTime;

  /** Cluster time minus monotonic time; does not change once the clock is settled. */
  private volatile long offsetMillis;

  private boolean settled; // guarded by this

  ClusterClock(LongSupplier nanoTime, long wallMillis) {
    this.nanoTime = nanoTime;
    this.offsetMillis = wallMillis - monotonicMillis();
  }

  /** Cluster time now. */
  @Override
  public long getAsLong() {
    return monotonicMillis() + offsetMillis;
  }

  /** Takes over the cluster's time, unless this clock has been settled before. */
  synchronized void adopt(long clusterMillis) {
    if (!settled) {
      offsetMillis = clusterMillis - monotonicMillis();
    }
  }

  /** The node has its first segment table: from now on its time only goes on. */
  synchronized void settle() {
    settled = true;
  }

  private long monotonicMillis() {
    return nanoTime.getAsLong() / NANOS_PER_MILLI;
  }
}
