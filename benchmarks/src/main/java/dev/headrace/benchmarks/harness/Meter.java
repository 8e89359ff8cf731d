package dev.headrace.benchmarks.harness;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What one thread of a throughput loop has done so far.
 *
 * <p>The count is written by its own thread and read by the sampling one; it lies on a cache line
 * of its own.
 */
public final class Meter {

  /**
   * Distance between the counts of two threads: two cache lines, because lines are fetched in
   * pairs.
   */
  private static final int STRIDE_LONGS = 16;

  private final Shared shared;
  private final int index;
  private long count; // guarded by being used by the meter's thread only

  private Meter(Shared shared, int thread) {
    this.shared = shared;
    this.index = (thread + 1) * STRIDE_LONGS;
  }

  /**
   * Counts one event.
   *
   * @return whether to go on; false once the measurement is over
   */
  public boolean count() {
    shared.counts.setOpaque(index, ++count);
    return !shared.stopped;
  }

  /** Whether the measurement is over. */
  public boolean stopped() {
    return shared.stopped;
  }

  /** The meters of all threads of one measurement. */
  static final class Shared {

    private final AtomicLongArray counts;
    private final int threads;
    private volatile boolean stopped; // written by the sampling thread

    Shared(int threads) {
      this.threads = threads;
      this.counts = new AtomicLongArray((threads + 2) * STRIDE_LONGS);
    }

    Meter meter(int thread) {
      return new Meter(this, thread);
    }

    long total() {
      long total = 0;
      for (int thread = 0; thread < threads; thread++) {
        total += counts.getOpaque((thread + 1) * STRIDE_LONGS);
      }
      return total;
    }

    void stop() {
      stopped = true;
    }
  }
}
