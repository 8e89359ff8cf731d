package dev.headrace.stream.store;

/**
 * Copies a segment's entries from one generation to a newer one, in hash order and in bounded
 * steps. Readers see what a step has copied only after {@link #publish}; {@link Segment} says why.
 *
 * <p>Belongs to the segment's one mutator.
 */
final class Rewrite {

  /** A step ends after this many entries, but never inside a run of equal tags. */
  static final int STEP_ENTRIES = 128;

  /** A step ends after this many bytes, or after eight entries of average size if that is more. */
  static final int STEP_BYTES = 1 << 16;

  /** The most bytes of a step, whatever the average size. */
  static final int MAX_STEP_BYTES = 1 << 19;

  /** The most entries of a step, if the segment is small enough to be rewritten at once. */
  private static final int WHOLE_STEP_ENTRIES = 1 << 13;

  private static final int VISITED_SLOTS_PER_ENTRY = 16;

  private final Generation older;
  private final Generation newer;

  /** The tag below which everything has been copied. */
  private long reached;

  /** Behind the last slot of the runs of equal tags that the step has copied to their end. */
  private int copiedTail;

  /**
   * How many entries of the run at {@link #reached} have been copied. Above 0 between two steps
   * only if the first of them has failed; no mutation comes in between, so the next one goes on
   * behind them.
   */
  private int copiedOfRun;

  private long movedBytes;

  Rewrite(Generation older, Generation newer) {
    this.older = older;
    this.newer = newer;
  }

  Generation newer() {
    return newer;
  }

  /** Whether the segment is so small that one step copies all of it. */
  boolean isOneStep() {
    return older.sharedBytes() <= STEP_BYTES;
  }

  /** The bytes copied so far. */
  long movedBytes() {
    return movedBytes;
  }

  /**
   * Copies entries from the boundary on, until the step's budget is used up. A step that fails, for
   * want of memory, is to be published, too; the next one goes on with the entry at which it
   * failed.
   */
  void copyStep(long boundary) {
    boolean small = isOneStep();
    int maxEntries = small ? WHOLE_STEP_ENTRIES : STEP_ENTRIES;
    long averageBytes = older.sharedBytes() / Math.max(1, older.used());
    long maxBytes = Math.min(MAX_STEP_BYTES, Math.max(STEP_BYTES, 8 * averageBytes));
    long[] slots = older.slots;
    int index = older.firstIndexOf(boundary) + copiedOfRun;
    int lastIndex = index + maxEntries * VISITED_SLOTS_PER_ENTRY;
    reached = boundary;
    copiedTail = 0;
    int runTail = 0;
    long lastTag = copiedOfRun > 0 ? boundary : -1;
    for (int copied = 0; index < older.tail; index++) {
      long slot = slots[index];
      boolean enough = copied >= maxEntries || maxBytes <= 0 || index >= lastIndex;
      if (slot == 0) {
        if (enough) {
          endRun(runTail, older.firstTagHomedAt(index + 1));
          return;
        }
        continue;
      }
      if (Generation.tagOf(slot) != lastTag) {
        lastTag = Generation.tagOf(slot);
        endRun(runTail, lastTag);
        if (enough) {
          return;
        }
      }
      int entryBytes = older.entryBytes((int) slot);
      runTail = newer.take(older, slot, entryBytes) + 1;
      copiedOfRun++;
      if (entryBytes <= Pages.SHARED_ENTRY_BYTES) {
        maxBytes -= Math.min(maxBytes, entryBytes);
        movedBytes += entryBytes;
      }
      copied++;
    }
    endRun(runTail, Generation.END_TAG);
  }

  /** Everything below a tag has been copied, up to a slot of the newer generation. */
  private void endRun(int runTail, long nextTag) {
    copiedTail = runTail;
    copiedOfRun = 0;
    reached = nextTag;
  }

  /**
   * Makes what the step has copied visible to readers, and returns the new boundary. Called under
   * the write lock.
   */
  long publish() {
    newer.tail = Math.max(newer.tail, copiedTail);
    return reached;
  }
}
