package dev.headrace.rebalance.table;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.table.Roster.Seat;
import dev.headrace.rebalance.table.bits.BitInput;
import dev.headrace.rebalance.table.bits.BitOutput;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The binary form of a table: version, header, members with their ordinals, those that are absent,
 * when the vacant ordinals were vacated, rows, ancestors, stamp. Rows name owners by their place
 * among the members that have a capacity, so that callers and vacant ordinals do not make them
 * longer. Every count is checked against the bytes that are there before room is made for it, and
 * the stamp at the end tells whether the content arrived as it was.
 */
final class TableForm {
  private static final byte VERSION = 4;
  private static final String WHAT = "A segment table";

  private TableForm() {}

  static BitOutput encoded(SegmentTable table) {
    BitOutput out = new BitOutput();
    out.bits(VERSION, Byte.SIZE);
    table.header.encode(out.room(table.header.encodedBytes()));
    encodeRoster(table.roster, table.epoch(), out);
    short[] places = new short[table.roster.slots()];
    short[] holders = holders(table.roster);
    for (int place = 0; place < holders.length; place++) {
      places[holders[place]] = (short) place;
    }
    TableSlice.of(table, 0, table.segments()).mapped(places).encodeRows(out);
    out.vint(table.ancestors.length);
    long before = table.epoch();
    for (long ancestor : table.ancestors) {
      out.vint(before - ancestor);
      before = ancestor;
    }
    out.room(Long.BYTES).putLong(table.stamp());
    return out;
  }

  static SegmentTable decode(ByteBuffer from) {
    BitInput in = new BitInput(from, WHAT);
    long version = in.bits(Byte.SIZE);
    if (version != VERSION) {
      throw new WireException(
          "A segment table has the unknown version " + version + ": upgrade this node");
    }
    TableHeader header = TableHeader.decode(in.buffer());
    try {
      Roster roster = decodeRoster(in, header.epoch());
      TableSlice rows =
          TableSlice.decodeRows(in, header.epoch(), 0, header.segments()).mapped(holders(roster));
      long[] ancestors = decodeAncestors(in, header.epoch());
      in.needBits(Long.SIZE, "stamp");
      long stamp = in.bits(Long.SIZE);
      RowEditor editor = RowEditor.blank(header, roster);
      rows.putInto(editor);
      SegmentTable table = editor.table(header, ancestors);
      if (table.stamp() != stamp) {
        throw new WireException(
            "The %s is damaged: its content has the stamp %016x where %016x was sent"
                .formatted(table, table.stamp(), stamp));
      }
      return table;
    } catch (IllegalArgumentException e) {
      throw new WireException("A segment table is damaged: " + e.getMessage(), e);
    }
  }

  /** The ordinals of the members that may own segments, and of those that are absent. */
  private static short[] holders(Roster roster) {
    short[] holders = new short[roster.holders() + roster.absent().size()];
    int count = 0;
    for (int ordinal = 0; ordinal < roster.slots(); ordinal++) {
      if (roster.isTaken(ordinal) && roster.member(ordinal).holdsSegments()) {
        holders[count++] = (short) ordinal;
      }
    }
    return holders;
  }

  private static void encodeRoster(Roster roster, long epoch, BitOutput out) {
    List<Seat> seats = roster.seats();
    List<Seat> absent = roster.absent();
    out.vint(seats.size());
    out.vint(absent.size());
    out.vint(roster.slots() - seats.size() - absent.size());
    List<Seat> all = Stream.concat(seats.stream(), absent.stream()).toList();
    all.forEach(seat -> encodeSeat(seat, out));
    encodeAdmissions(all, epoch, out);
    for (int ordinal = 0; ordinal < roster.slots(); ordinal++) {
      if (!roster.isTaken(ordinal)) {
        out.vint(epoch - roster.vacatedAt(ordinal));
      }
    }
  }

  private static Roster decodeRoster(BitInput in, long epoch) {
    int members = in.vint(SegmentTable.MAX_MEMBERS, "number of members");
    int gone = in.vint(SegmentTable.MAX_MEMBERS - members, "number of absent nodes");
    int count = members + gone;
    int vacant = in.vint(SegmentTable.MAX_MEMBERS - count, "number of vacant ordinals");
    List<Seat> seats = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      seats.add(decodeSeat(in, 0));
    }
    decodeAdmissions(seats, epoch, in);
    in.needBits(vacant * 8L, "vacant ordinals");
    long[] vacatedAt = new long[count + vacant];
    for (Seat seat : seats) {
      if (seat.ordinal() >= vacatedAt.length) {
        throw new WireException("A segment table is damaged: no ordinal " + seat.ordinal());
      }
      vacatedAt[seat.ordinal()] = Roster.TAKEN;
    }
    if (Arrays.stream(vacatedAt).filter(at -> at == Roster.TAKEN).count() != count) {
      throw new WireException("A segment table is damaged: two members have one ordinal");
    }
    for (int ordinal = 0; ordinal < vacatedAt.length; ordinal++) {
      if (vacatedAt[ordinal] != Roster.TAKEN) {
        vacatedAt[ordinal] = epoch - in.vint(epoch, "age of a vacant ordinal");
      }
    }
    for (Seat seat : seats.subList(members, count)) {
      if (!seat.member().holdsSegments()) {
        throw new WireException("A segment table is damaged: " + seat.member() + " is absent");
      }
    }
    return new Roster(seats.subList(0, members), seats.subList(members, count), vacatedAt);
  }

  /** Appends those that have not been members from the beginning, which are few for a long time. */
  private static void encodeAdmissions(List<Seat> seats, long epoch, BitOutput out) {
    out.vint(seats.stream().filter(seat -> seat.admittedAt() > 0).count());
    for (int index = 0; index < seats.size(); index++) {
      long admittedAt = seats.get(index).admittedAt();
      if (admittedAt > 0) {
        out.vint(index);
        out.vint(epoch - admittedAt);
      }
    }
  }

  private static void decodeAdmissions(List<Seat> seats, long epoch, BitInput in) {
    int count = in.vint(seats.size(), "number of admissions");
    for (int i = 0; i < count; i++) {
      int index = in.vint(seats.size() - 1, "admitted member");
      long admittedAt = epoch - in.vint(epoch, "age of an admission");
      Seat seat = seats.get(index);
      seats.set(index, new Seat(seat.ordinal(), seat.member(), admittedAt));
    }
  }

  static void encodeSeat(Seat seat, BitOutput out) {
    out.vint(seat.ordinal());
    seat.member().encode(out.room(seat.member().encodedBytes()));
  }

  static Seat decodeSeat(BitInput in, long admittedAt) {
    int ordinal = in.vint(SegmentTable.MAX_MEMBERS - 1, "ordinal");
    return new Seat(ordinal, Member.decode(in.buffer()), admittedAt);
  }

  private static long[] decodeAncestors(BitInput in, long epoch) {
    int count = in.vint(SegmentTable.MAX_ANCESTORS, "number of ancestors");
    long[] ancestors = new long[count];
    long before = epoch;
    for (int i = 0; i < count; i++) {
      before -= in.vint(before, "age of an ancestor");
      ancestors[i] = before;
    }
    return ancestors;
  }
}
