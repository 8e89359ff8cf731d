package dev.headrace.api.ingest;

import java.util.random.RandomGenerator;

/**
 * Another segment at random after each share (KIP-794): the bytes of a batch, so that all segments
 * get the same. A share goes on while its batch lingers, until it has twice the bytes of a batch.
 *
 * <p>KIP-794 leaves a rest behind: a batch that is opened for the last record of a share waits with
 * it alone. Here a share also ends where a new batch would be opened for it, if it has had a batch
 * but for one record.
 */
final class UniformSticky implements Partitioner {
  private final RandomGenerator random;
  private int present = -1; // -1 for none
  private long shareBytes;
  private int lastBytes;

  UniformSticky(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int segment(PartitionView view, int bytes) {
    if (isOver(view)) {
      present = random.nextInt(view.segments());
      shareBytes = 0;
    }
    return present;
  }

  private boolean isOver(PartitionView view) {
    int batch = view.batchBytes();
    return present < 0
        || present >= view.segments()
        || shareBytes >= 2L * batch
        || (shareBytes >= batch && !view.lingers(present));
  }

  @Override
  public void onNewBatch(PartitionView view, int previous) {
    if (previous == present && shareBytes + lastBytes >= view.batchBytes()) {
      present = -1;
    }
  }

  @Override
  public void onAppended(PartitionView view, int segment, int bytes) {
    if (segment == present) {
      shareBytes += bytes;
      lastBytes = bytes;
    }
  }
}
