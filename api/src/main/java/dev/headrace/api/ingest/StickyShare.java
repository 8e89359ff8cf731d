package dev.headrace.api.ingest;

/**
 * How much a segment gets at a time (KIP-794): the bytes of a batch, so that all get the same; not
 * less while its batch lingers, and in no case more than twice that.
 *
 * <p>KIP-794 leaves a rest behind: a batch that is opened for the last record of a share waits with
 * it alone. Here a share also ends where a new batch would be opened for it, if it has had a batch
 * but for one record.
 */
final class StickyShare {
  private int segment = -1;
  private long bytes;
  private int lastBytes;

  /** The present segment; -1 for none. */
  int segment() {
    return segment;
  }

  /** Whether the present segment has had anything. */
  boolean begun() {
    return bytes > 0;
  }

  /** Whether another segment is to be chosen. */
  boolean isOver(PartitionView view) {
    int batch = view.batchBytes();
    return segment < 0
        || segment >= view.segments()
        || bytes >= 2L * batch
        || (bytes >= batch && !view.lingers(segment));
  }

  void begin(int chosen) {
    segment = chosen;
    bytes = 0;
  }

  /** A batch is about to be opened. */
  void newBatch(PartitionView view, int previous) {
    if (previous == segment && bytes + lastBytes >= view.batchBytes()) {
      segment = -1;
    }
  }

  void appended(int chosen, int added) {
    if (chosen == segment) {
      bytes += added;
      lastBytes = added;
    }
  }
}
