package dev.headrace.cluster.ingest.batch;

/**
 * How much the source is asked for: as much as fits into the free memory, by the size of the
 * records before. The estimate follows larger records at once, and smaller ones slowly, and is
 * large before the first has come. An eighth of it is added for each record that is asked for, so
 * that the memory suffices though the next ones are a little larger, as those with growing numbers
 * in their keys are.
 */
public final class DemandWindow {
  /** The most records that the source may have been asked for. */
  public static final int MAX_REQUESTED = 1024;

  private static final int FIRST_SHARE = 64;
  private static final int DECAY_SHARE = 16;
  private static final int GROWTH_SHARE = 8;

  private final long memoryBytes;
  private long estimateBytes;
  private long requested;
  private long heldBytes;
  private long held;

  public DemandWindow(long memoryBytes) {
    this.memoryBytes = memoryBytes;
    this.estimateBytes = Math.max(1, memoryBytes / FIRST_SHARE);
  }

  /** A record has come that is not held: it has failed at once. */
  public void received() {
    requested = Math.max(0, requested - 1); // a source may send more than it was asked for
  }

  /** A record has come, and is held. */
  public void received(long bytes) {
    received();
    held++;
    heldBytes += bytes;
    estimateBytes =
        Math.max(bytes, estimateBytes - (estimateBytes + DECAY_SHARE - 1) / DECAY_SHARE);
  }

  /** A record is held no more. */
  public void ended(long bytes) {
    held--;
    heldBytes -= bytes;
  }

  public long heldBytes() {
    return heldBytes;
  }

  /** Whether no record is held. */
  public boolean isEmpty() {
    return held == 0;
  }

  /**
   * How many more the source is to be asked for: none before a good part of what it was asked for
   * has come. The caller asks for them.
   */
  public long take() {
    long reservedBytes = estimateBytes + (estimateBytes + GROWTH_SHARE - 1) / GROWTH_SHARE;
    long free = memoryBytes - heldBytes - requested * reservedBytes;
    long room = Math.min(free / reservedBytes, MAX_REQUESTED - requested);
    if (room < 1 && held == 0 && requested == 0) {
      room = 1; // however large it may be
    }
    if (room < 1 || room < requested) {
      return 0;
    }
    requested += room;
    return room;
  }
}
