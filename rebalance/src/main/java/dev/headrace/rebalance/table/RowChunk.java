package dev.headrace.rebalance.table;

import java.util.Arrays;

/**
 * The rows of up to {@value #SEGMENTS} segments that lie one behind the other, with their epochs,
 * incarnations and the sum of their stamps. Immutable; tables that differ elsewhere share it.
 */
final class RowChunk {
  static final int SEGMENTS = 64; // segments of a chunk; a power of two
  static final int SHIFT = 6;

  static final short NONE = -1;

  private static final int MASK = SEGMENTS - 1;

  private final short[] ordinals; // rows of width ordinals; a shorter row ends with NONE
  private final int width;
  private final long[] epochs;
  private final int[] incarnations; // empty if no segment here ever lost all its owners
  private final long stamp;

  private RowChunk(short[] ordinals, long[] epochs, int[] incarnations, long stamp) {
    this.ordinals = ordinals;
    this.width = ordinals.length / SEGMENTS;
    this.epochs = epochs;
    this.incarnations = incarnations;
    this.stamp = stamp;
  }

  /** Chunks of segments without owners. */
  static RowChunk[] blank(int segments, long epoch) {
    long[] epochs = new long[SEGMENTS];
    Arrays.fill(epochs, epoch);
    RowChunk[] chunks = new RowChunk[(segments + MASK) >>> SHIFT];
    for (int first = 0; first < segments; first += SEGMENTS) {
      long stamp = 0;
      for (int segment = first; segment < Math.min(segments, first + SEGMENTS); segment++) {
        stamp += Stamp.ofRow(segment, 0, new long[0], new short[0], 0, 0);
      }
      chunks[first >>> SHIFT] = new RowChunk(new short[0], epochs, new int[0], stamp);
    }
    return chunks;
  }

  /** The sum of the stamps of some of a table's rows. */
  static long rangeStamp(RowChunk[] chunks, int from, int to, int segments, long[] marks) {
    long stamp = 0;
    int segment = from;
    while (segment < to) {
      RowChunk chunk = chunks[segment >>> SHIFT];
      int end = Math.min((segment | MASK) + 1, segments);
      if ((segment & MASK) == 0 && end <= to) {
        stamp += chunk.stamp;
        segment = end;
      } else {
        stamp += chunk.stamp(segment, marks);
        segment++;
      }
    }
    return stamp;
  }

  /** Whether two tables of one number of segments have the same rows, epochs and incarnations. */
  static boolean areSame(RowChunk[] some, RowChunk[] others, int segments) {
    for (int segment = 0; segment < segments; segment++) {
      RowChunk mine = some[segment >>> SHIFT];
      RowChunk its = others[segment >>> SHIFT];
      if (mine != its && !mine.isSame(its, segment)) {
        return false;
      }
    }
    return true;
  }

  private boolean isSame(RowChunk other, int segment) {
    return epoch(segment) == other.epoch(segment)
        && incarnation(segment) == other.incarnation(segment)
        && Arrays.equals(row(segment), other.row(segment));
  }

  /** The same rows, all with one epoch; the array is shared. */
  RowChunk at(long[] newEpochs) {
    return new RowChunk(ordinals, newEpochs, incarnations, stamp);
  }

  long stamp() {
    return stamp;
  }

  /** One row's part of {@link #stamp()}. */
  long stamp(int segment, long[] marks) {
    return Stamp.ofRow(
        segment, incarnation(segment), marks, ordinals, start(segment), length(segment));
  }

  int length(int segment) {
    return lengthAt(start(segment), width, ordinals);
  }

  private static int lengthAt(int start, int width, short[] ordinals) {
    int length = 0;
    while (length < width && ordinals[start + length] != NONE) {
      length++;
    }
    return length;
  }

  /** The ordinal of an owner, or {@link #NONE} if there is no such. */
  int ordinal(int segment, int index) {
    return index >= 0 && index < width ? ordinals[start(segment) + index] : NONE;
  }

  boolean contains(int segment, int ordinal) {
    int start = start(segment);
    for (int at = start; at < start + width; at++) {
      if (ordinals[at] == ordinal) {
        return true;
      }
    }
    return false;
  }

  short[] row(int segment) {
    int start = start(segment);
    return Arrays.copyOfRange(ordinals, start, start + length(segment));
  }

  long epoch(int segment) {
    return epochs[segment & MASK];
  }

  int incarnation(int segment) {
    return incarnations.length == 0 ? 0 : incarnations[segment & MASK];
  }

  private int start(int segment) {
    return (segment & MASK) * width;
  }

  /** A chunk that is being changed. */
  static final class Draft {
    private final long[] marks;
    private short[] ordinals;
    private int width;
    private final long[] epochs;
    private int[] incarnations;
    private long stamp;

    /**
     * Begins with a chunk.
     *
     * @param marks by ordinal the identities, of the owners that were and those that will be
     */
    Draft(RowChunk before, long[] marks) {
      this.marks = marks;
      ordinals = before.ordinals.clone();
      width = before.width;
      epochs = before.epochs.clone();
      incarnations = before.incarnations;
      stamp = before.stamp;
    }

    void put(int segment, short[] row, long epoch, int incarnation) {
      int at = segment & MASK;
      int before = incarnations.length == 0 ? 0 : incarnations[at];
      if (row.length > width) {
        widen(row.length);
      }
      int start = at * width;
      stamp -=
          Stamp.ofRow(segment, before, marks, ordinals, start, lengthAt(start, width, ordinals));
      System.arraycopy(row, 0, ordinals, start, row.length);
      Arrays.fill(ordinals, start + row.length, start + width, NONE);
      stamp += Stamp.ofRow(segment, incarnation, marks, ordinals, start, row.length);
      epochs[at] = epoch;
      if (incarnation != before) {
        raise(at, incarnation);
      }
    }

    /** What it has become; the draft must not be used any more. */
    RowChunk done() {
      return new RowChunk(ordinals, epochs, incarnations, stamp);
    }

    private void widen(int newWidth) {
      short[] wider = new short[SEGMENTS * newWidth];
      Arrays.fill(wider, NONE);
      for (int at = 0; at < SEGMENTS; at++) {
        System.arraycopy(ordinals, at * width, wider, at * newWidth, width);
      }
      ordinals = wider;
      width = newWidth;
    }

    private void raise(int at, int incarnation) {
      // The array may still be the chunk's that this draft began with.
      incarnations =
          incarnations.length == 0
              ? new int[SEGMENTS]
              : Arrays.copyOf(incarnations, incarnations.length);
      incarnations[at] = incarnation;
    }
  }
}
