package dev.headrace.api.ingest;

/** One segment after the other. */
final class RoundRobin implements Partitioner {
  private int next;

  @Override
  public int segment(PartitionView view, int bytes) {
    return next % view.segments();
  }

  @Override
  public void onAppended(PartitionView view, int segment, int bytes) {
    next = (segment + 1) % view.segments();
  }
}
