package dev.headrace.api.ingest;

import java.util.random.RandomGenerator;

/**
 * Goes on to another segment with every new batch, as KIP-480 does, and draws it as KIP-794 does: a
 * segment is the more likely the shorter its node's queue is, and here also the sooner a batch
 * would be acknowledged. The weight of a node is how much longer the longest queue is than its own,
 * and one batch, divided by the time that is expected of another batch. By bytes alone a slow node
 * gets as much as it can take, and each of its batches waits behind others. A node that has taken
 * nothing for a while has no weight, and is left at once.
 *
 * <p>KIP-794 stays for the bytes of a batch, so that the batches of such a share follow each other
 * to one node while others have nothing to do.
 *
 * <p>All segments of a node have the node's weight, so that a node with many segments gets many
 * batches.
 */
final class AdaptiveSticky implements Partitioner {
  /** Shorter times make no difference between nodes. */
  private static final long FLOOR_NANOS = 1_000_000;

  private final long availabilityNanos;
  private final RandomGenerator random;
  private int present = -1; // -1 for none
  private double[] weights = {}; // by segment the sum up to it; kept between calls

  AdaptiveSticky(long availabilityNanos, RandomGenerator random) {
    this.availabilityNanos = availabilityNanos;
    this.random = random;
  }

  @Override
  public int segment(PartitionView view, int valueBytes) {
    if (present < 0 || present >= view.segments() || isOut(view, present)) {
      present = draw(view);
    }
    return present;
  }

  @Override
  public void onNewBatch(PartitionView view, int previous) {
    if (previous == present) {
      present = -1;
    }
  }

  private boolean isOut(PartitionView view, int segment) {
    return !view.available(segment)
        || (availabilityNanos > 0 && view.stalledNanos(segment) >= availabilityNanos);
  }

  private int draw(PartitionView view) {
    int segments = view.segments();
    long longest = 0;
    for (int segment = 0; segment < segments; segment++) {
      longest = Math.max(longest, view.queuedBytes(segment));
    }
    if (weights.length != segments) {
      weights = new double[segments];
    }
    double sum = 0;
    for (int segment = 0; segment < segments; segment++) {
      if (!isOut(view, segment)) {
        double free = (double) longest - view.queuedBytes(segment) + view.batchBytes();
        sum += free / (FLOOR_NANOS + view.expectedNanos(segment));
      }
      weights[segment] = sum;
    }
    if (sum == 0) {
      return random.nextInt(segments); // nobody is there: one is as good as another
    }
    double drawn = random.nextDouble() * sum;
    int low = 0;
    int high = segments - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (weights[middle] > drawn) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
