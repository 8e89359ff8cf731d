package dev.headrace.rebalance.table;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes a table's rows out of another's: the chunks that change are copied, once each if the
 * changes come in the segments' order, and all others are shared.
 */
final class RowEditor {
  private final Roster roster;
  private final TableHeader header;
  private final RowChunk[] chunks;
  private final int[] replicas; // by ordinal: how many rows it is in
  private long stamp;
  private int draftIndex = -1;
  private RowChunk.@Nullable Draft draft;

  /**
   * Begins with a table's rows.
   *
   * @param roster the members as they will be
   */
  RowEditor(SegmentTable before, Roster roster) {
    this(before.chunks.clone(), before.rowsStamp, before.header, roster, before.replicas);
  }

  private RowEditor(
      RowChunk[] chunks, long stamp, TableHeader header, Roster roster, int[] replicas) {
    this.chunks = chunks;
    this.stamp = stamp;
    this.roster = roster;
    this.header = header;
    this.replicas = Arrays.copyOf(replicas, roster.slots());
  }

  static RowEditor blank(TableHeader header, Roster roster) {
    RowChunk[] chunks = RowChunk.blank(header.segments(), header.epoch());
    long stamp = Arrays.stream(chunks).mapToLong(RowChunk::stamp).sum();
    return new RowEditor(chunks, stamp, header, roster, new int[0]);
  }

  /** Replaces a row; no row is replaced twice. */
  void put(int segment, short[] row, long epoch, int incarnation) {
    check(segment, row, header, index -> roster.member(row[index]));
    RowChunk before = chunks[segment >>> RowChunk.SHIFT];
    int beforeLength = before.length(segment);
    for (int index = 0; index < beforeLength; index++) {
      replicas[before.ordinal(segment, index)]--;
    }
    for (short ordinal : row) {
      replicas[ordinal]++;
    }
    draft(segment >>> RowChunk.SHIFT).put(segment, row, epoch, incarnation);
  }

  void allAt(long epoch) {
    closeDraft();
    long[] epochs = new long[RowChunk.SEGMENTS];
    Arrays.fill(epochs, epoch);
    for (int index = 0; index < chunks.length; index++) {
      chunks[index] = chunks[index].at(epochs);
    }
  }

  int replicas(int ordinal) {
    return replicas[ordinal];
  }

  SegmentTable table(TableHeader header, long[] ancestors) {
    closeDraft();
    return new SegmentTable(header, roster, chunks, replicas, stamp, ancestors);
  }

  private RowChunk.Draft draft(int index) {
    RowChunk.Draft present = draft;
    if (present == null || index != draftIndex) {
      closeDraft();
      present = new RowChunk.Draft(chunks[index], roster.marks());
      draft = present;
      draftIndex = index;
    }
    return present;
  }

  private void closeDraft() {
    if (draft != null) {
      RowChunk done = draft.done();
      stamp += done.stamp() - chunks[draftIndex].stamp();
      chunks[draftIndex] = done;
      draft = null;
    }
  }

  /**
   * Checks a row.
   *
   * @param owners by index the members that the row names
   */
  static void check(int segment, short[] row, TableHeader header, IntFunction<Member> owners) {
    int maxOwners = SegmentTable.maxOwners(header);
    if (row.length > maxOwners) {
      throw new IllegalArgumentException(
          "Segment %d would have %d owners where at most %d may be"
              .formatted(segment, row.length, maxOwners));
    }
    for (int index = 0; index < row.length; index++) {
      Member owner = owners.apply(index);
      if (!owner.holdsSegments()) {
        throw new IllegalArgumentException(
            owner + " holds nothing and cannot own segment " + segment);
      }
      for (int earlier = 0; earlier < index; earlier++) {
        if (row[earlier] == row[index]) {
          throw new IllegalArgumentException(owner + " would own segment " + segment + " twice");
        }
      }
    }
  }
}
