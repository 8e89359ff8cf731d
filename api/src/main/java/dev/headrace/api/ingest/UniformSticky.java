package dev.headrace.api.ingest;

import java.util.random.RandomGenerator;

/** Another segment at random after each {@link StickyShare} (KIP-794). */
final class UniformSticky implements Partitioner {
  private final RandomGenerator random;
  private final StickyShare share = new StickyShare();

  UniformSticky(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public int segment(PartitionView view, int bytes) {
    if (share.isOver(view)) {
      share.begin(random.nextInt(view.segments()));
    }
    return share.segment();
  }

  @Override
  public void onNewBatch(PartitionView view, int previous) {
    share.newBatch(view, previous);
  }

  @Override
  public void onAppended(PartitionView view, int segment, int bytes) {
    share.appended(segment, bytes);
  }
}
