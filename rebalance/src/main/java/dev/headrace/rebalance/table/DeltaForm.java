package dev.headrace.rebalance.table;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.table.Roster.Seat;
import dev.headrace.rebalance.table.bits.BitInput;
import dev.headrace.rebalance.table.bits.BitOutput;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of a delta: version, both epochs, number of segments, first write, version of the
 * protocol, members that go and come, changed rows. A row is the gap to the segment before, its
 * length and whether it was lost on the way, then for each owner a few bits with its place in the
 * row before, then the ordinals of those that had no place there. One replica that moves takes 4 to
 * 6 bytes with two owners and 6 to 8 with seven.
 */
final class DeltaForm {
  private static final byte VERSION = 3;
  private static final int MARKS_FIRST_WRITE = 1;
  private static final int CHANGES_MEMBERS = 2;
  private static final int RAISES_PROTOCOL = 4;
  private static final String WHAT = "A segment table's delta";

  private DeltaForm() {}

  static BitOutput encoded(TableDelta delta) {
    BitOutput out = new BitOutput();
    out.bits(VERSION, Byte.SIZE);
    out.vint(delta.fromEpoch());
    out.vint(delta.epoch() - delta.fromEpoch() - 1);
    out.vint(delta.segments());
    int flags =
        (delta.marksFirstWrite() ? MARKS_FIRST_WRITE : 0)
            | (delta.changesMembers() ? CHANGES_MEMBERS : 0)
            | (delta.protocol() == 0 ? 0 : RAISES_PROTOCOL);
    out.bits(flags, Byte.SIZE);
    if (delta.marksFirstWrite()) {
      out.bits(delta.firstWrite(), Long.SIZE);
    }
    if (delta.protocol() != 0) {
      out.bits(delta.protocol(), Byte.SIZE);
    }
    if (delta.changesMembers()) {
      encodeOrdinals(delta.removed(), out);
      encodeOrdinals(delta.withdrawn(), out);
      out.vint(delta.joined().size());
      for (Seat seat : delta.joined()) {
        TableForm.encodeSeat(seat, out);
      }
    }
    out.vint(delta.rows().size());
    int next = 0;
    for (TableDelta.Row row : delta.rows()) {
      out.vint(row.segment() - next);
      next = row.segment() + 1;
      encodeRow(row, out);
    }
    return out;
  }

  private static void encodeOrdinals(List<Integer> ordinals, BitOutput out) {
    out.vint(ordinals.size());
    ordinals.forEach(out::vint);
  }

  private static void encodeRow(TableDelta.Row row, BitOutput out) {
    short[] codes = row.codes();
    out.vint(codes.length * 2L + (row.lost() ? 1 : 0));
    int width = BitOutput.width(codes.length);
    int comes = TableDelta.Row.namedPlaces(codes.length);
    for (short code : codes) {
      out.bits(code < 0 ? ~code : comes, width);
    }
    for (short code : codes) {
      if (code >= 0) {
        out.vint(code);
      }
    }
  }

  static TableDelta decode(ByteBuffer from) {
    BitInput in = new BitInput(from, WHAT);
    long version = in.bits(Byte.SIZE);
    if (version != VERSION) {
      throw new WireException(WHAT + " has the unknown version " + version + ": upgrade this node");
    }
    long fromEpoch = in.vint(Long.MAX_VALUE, "epoch");
    long epoch = fromEpoch + 1 + in.vint(Long.MAX_VALUE - 1 - fromEpoch, "later epoch");
    int segments = in.vint(TableHeader.MAX_SEGMENTS, "number of segments");
    long flags = in.bits(Byte.SIZE);
    long firstWrite = (flags & MARKS_FIRST_WRITE) == 0 ? 0 : in.bits(Long.SIZE);
    int protocol = (flags & RAISES_PROTOCOL) == 0 ? 0 : (int) in.bits(Byte.SIZE);
    List<Integer> removed = List.of();
    List<Integer> withdrawn = List.of();
    List<Seat> joined = new ArrayList<>();
    if ((flags & CHANGES_MEMBERS) != 0) {
      removed = decodeOrdinals(in);
      withdrawn = decodeOrdinals(in);
      int count = in.vint(SegmentTable.MAX_MEMBERS, "number of new members");
      for (int i = 0; i < count; i++) {
        joined.add(TableForm.decodeSeat(in, epoch));
      }
    }
    int count = in.vint(segments, "number of changed segments");
    in.needBits(count * 16L, "changed segments");
    List<TableDelta.Row> rows = new ArrayList<>(count);
    int next = 0;
    for (int i = 0; i < count; i++) {
      next += in.vint(segments - 1 - next, "changed segment");
      rows.add(decodeRow(in, next++));
    }
    return new TableDelta(
        fromEpoch, epoch, segments, firstWrite, protocol, removed, withdrawn, joined, rows);
  }

  private static List<Integer> decodeOrdinals(BitInput in) {
    int count = in.vint(SegmentTable.MAX_MEMBERS, "number of members that go");
    List<Integer> ordinals = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ordinals.add(in.vint(SegmentTable.MAX_MEMBERS - 1, "ordinal"));
    }
    return ordinals;
  }

  private static TableDelta.Row decodeRow(BitInput in, int segment) {
    int shape = in.vint(2 * SegmentTable.MAX_MEMBERS + 1, "number of owners");
    int length = shape >>> 1;
    int width = BitOutput.width(length);
    in.needBits((long) length * width, "owners");
    int comes = TableDelta.Row.namedPlaces(length);
    short[] codes = new short[length];
    for (int index = 0; index < length; index++) {
      int place = (int) in.bits(width);
      codes[index] = place == comes ? 0 : (short) ~place;
    }
    for (int index = 0; index < length; index++) {
      if (codes[index] == 0) {
        codes[index] = (short) in.vint(SegmentTable.MAX_MEMBERS - 1, "ordinal");
      }
    }
    return new TableDelta.Row(segment, (shape & 1) == 1, codes);
  }
}
