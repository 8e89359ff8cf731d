package dev.headrace.api.ingest;

import java.util.random.RandomGenerator;

/** Another segment at random whenever a new batch is opened (KIP-480, as published). */
final class Sticky implements Partitioner {
  private final RandomGenerator random;
  private int present = -1;

  Sticky(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int segment(PartitionView view, int bytes) {
    if (present < 0) {
      present = random.nextInt(view.segments());
    }
    return present;
  }

  /** A batch was opened elsewhere since then if the previous one is another: nothing changes. */
  @Override
  public void onNewBatch(PartitionView view, int previous) {
    if (previous != present || view.segments() < 2) {
      return;
    }
    int other = random.nextInt(view.segments() - 1);
    present = other < previous ? other : other + 1;
  }
}
