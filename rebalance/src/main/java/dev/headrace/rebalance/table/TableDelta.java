package dev.headrace.rebalance.table;

import dev.headrace.rebalance.table.Roster.Seat;
import dev.headrace.rebalance.table.bits.BitOutput;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The change from one epoch's table to a later one. Immutable; made by {@link TableEdit}, used by
 * {@link SegmentTable#apply}.
 *
 * <p>A changed row is described by the row before it: which owners stay, in the order they have
 * then, and which come. So a delta says little, and only to the table that it was made from.
 *
 * @param fromEpoch the epoch of the table that it can be applied to; -1 if that is none
 * @param epoch the epoch of the table that it leads to
 * @param segments number of segments of the cluster
 * @param firstWrite as in the header that it leads to if it marks the first write, else 0
 * @param protocol the version of the protocol in the header that it leads to if it raises that,
 *     else 0
 * @param removed the ordinals of the members that go, and of the absent nodes that are given up
 * @param withdrawn the ordinals of the members that are absent from now on
 * @param joined the members that come, in their order
 * @param rows the rows that change, in the segments' order, none twice
 */
public record TableDelta(
    long fromEpoch,
    long epoch,
    int segments,
    long firstWrite,
    int protocol,
    List<Integer> removed,
    List<Integer> withdrawn,
    List<Seat> joined,
    List<Row> rows) {
  private static final long NOTHING = -1; // no table has this epoch; see fromNothing

  public TableDelta {
    removed = List.copyOf(removed);
    withdrawn = List.copyOf(withdrawn);
    joined = List.copyOf(joined);
    rows = List.copyOf(rows);
  }

  /**
   * A whole table as the change from no table at all: every member joins, every segment changes. It
   * is told on the table's own node and has no binary form; what travels is the image.
   */
  public static TableDelta fromNothing(SegmentTable image) {
    List<Row> rows = new ArrayList<>(image.segments());
    for (int segment = 0; segment < image.segments(); segment++) {
      boolean lost = image.incarnation(segment) > 0;
      rows.add(new Row(segment, lost, image.chunk(segment).row(segment)));
    }
    return new TableDelta(
        NOTHING,
        image.epoch(),
        image.segments(),
        image.header().firstWrite(),
        image.header().protocol(),
        List.of(),
        List.of(),
        image.roster.seats(),
        rows);
  }

  /** Whether it is a whole table, and says nothing of the table before. */
  public boolean isFromNothing() {
    return fromEpoch == NOTHING;
  }

  /** Whether the cluster says with it that it may hold data. */
  public boolean marksFirstWrite() {
    return firstWrite != 0;
  }

  /** Whether members come or go. */
  public boolean changesMembers() {
    return !(removed.isEmpty() && withdrawn.isEmpty() && joined.isEmpty());
  }

  /** Whether segments begin anew with it. */
  public boolean loses() {
    return rows.stream().anyMatch(Row::lost);
  }

  /**
   * The segments whose epoch it raises, in order: all if it marks the first write. The array is the
   * caller's.
   */
  public int[] changedSegments() {
    return marksFirstWrite()
        ? IntStream.range(0, segments).toArray()
        : rows.stream().mapToInt(Row::segment).toArray();
  }

  public BitOutput encoded() {
    return DeltaForm.encoded(this);
  }

  public static TableDelta decode(ByteBuffer in) {
    return DeltaForm.decode(in);
  }

  /** See {@link SegmentTable#apply}. */
  SegmentTable appliedTo(SegmentTable table) {
    if (fromEpoch != table.epoch() || segments != table.segments()) {
      throw new IllegalArgumentException("The " + this + " cannot be applied to the " + table);
    }
    Roster roster = table.roster.changed(removed, withdrawn, joined, epoch);
    RowEditor next = new RowEditor(table, roster);
    for (Row row : rows) {
      short[] owners = row.resolved(table.chunk(row.segment));
      int incarnation = table.incarnation(row.segment) + (row.lost ? 1 : 0);
      next.put(row.segment, owners, epoch, incarnation);
    }
    for (int ordinal : removed) {
      if (next.replicas(ordinal) != 0) {
        throw new IllegalArgumentException(
            table.roster.member(ordinal) + " would go and still own segments");
      }
    }
    TableHeader header = protocol == 0 ? table.header : table.header.speaking(protocol);
    if (!marksFirstWrite()) {
      return next.table(header.at(epoch), table.ancestorsAt(epoch));
    }
    // Every segment's epoch is raised, so that a backup takes a write only once it knows the first
    // write.
    next.allAt(epoch);
    return next.table(header.written(epoch, firstWrite), new long[0]);
  }

  @Override
  public String toString() {
    return "delta (epoch %s to %s, %d of %d segments, %d members less, %d more%s)"
        .formatted(
            Epoch.toString(fromEpoch),
            Epoch.toString(epoch),
            rows.size(),
            segments,
            removed.size() + withdrawn.size(),
            joined.size(),
            marksFirstWrite() ? ", first write" : "");
  }

  /**
   * What becomes of a segment's owners.
   *
   * <p>A code of at least 0 is the ordinal of an owner that comes, one below is the complement of
   * the place that an owner had in the row before. Only the first {@link #namedPlaces} are named
   * so, and owners from others by their ordinals, so that the binary form knows the width of a
   * place without knowing the row before.
   *
   * @param lost whether the segment lost all its owners on the way
   * @param codes taken over
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by its content
  record Row(int segment, boolean lost, short[] codes) {
    /** The way from one row to another. */
    static Row between(int segment, boolean lost, short[] before, short[] after) {
      short[] codes = after.clone();
      int places = Math.min(before.length, namedPlaces(after.length));
      for (int index = 0; index < codes.length; index++) {
        for (int place = 0; place < places; place++) {
          if (before[place] == after[index]) {
            codes[index] = (short) ~place;
          }
        }
      }
      return new Row(segment, lost, codes);
    }

    /** How many places of the row before can be named by a row of a length. */
    static int namedPlaces(int length) {
      return (1 << BitOutput.width(length)) - 1;
    }

    /** The ordinals after the change; -1 for a place that was not there. */
    private short[] resolved(RowChunk before) {
      short[] ordinals = codes.clone();
      for (int index = 0; index < ordinals.length; index++) {
        if (codes[index] < 0) {
          ordinals[index] = (short) before.ordinal(segment, ~codes[index]);
        }
      }
      return ordinals;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Row row
          && segment == row.segment
          && lost == row.lost
          && Arrays.equals(codes, row.codes);
    }

    @Override
    public int hashCode() {
      return (31 * segment + Arrays.hashCode(codes)) * 2 + (lost ? 1 : 0);
    }
  }
}
