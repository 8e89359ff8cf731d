package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.SegmentTable.NONE;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of a table: version, header, members, owners, the segments' epochs, and a list of
 * (segment, incarnation) for those segments that lost all their owners before. Everything is of
 * fixed width, so that the length is known beforehand and every count is checked against the bytes
 * that are there.
 */
final class TableForm {

  private static final byte VERSION = 1;

  private TableForm() {}

  static int encodedBytes(SegmentTable table) {
    int bytes = 1 + TableHeader.ENCODED_BYTES + 2;
    for (Member member : table.members) {
      bytes += member.encodedBytes();
    }
    bytes += 2 + table.owners.length * Short.BYTES;
    bytes += table.segmentEpochs.length * Long.BYTES;
    bytes += 4 + raised(table) * 2 * Integer.BYTES;
    return bytes + 1 + table.ancestors.length * Long.BYTES;
  }

  static void encode(SegmentTable table, ByteBuffer out) {
    out.put(VERSION);
    table.header.encode(out);
    out.putShort((short) table.members.size());
    for (Member member : table.members) {
      member.encode(out);
    }
    out.putShort((short) table.ownersPerRow);
    for (short ordinal : table.owners) {
      out.putShort(ordinal);
    }
    for (long epoch : table.segmentEpochs) {
      out.putLong(epoch);
    }
    out.putInt(raised(table));
    for (int segment = 0; segment < table.incarnations.length; segment++) {
      if (table.incarnations[segment] != 0) {
        out.putInt(segment).putInt(table.incarnations[segment]);
      }
    }
    out.put((byte) table.ancestors.length);
    for (long ancestor : table.ancestors) {
      out.putLong(ancestor);
    }
  }

  static SegmentTable decode(ByteBuffer in) {
    need(in, 1, "version");
    byte version = in.get();
    if (version != VERSION) {
      throw new WireException(
          "A segment table has the unknown version " + version + ": upgrade this node");
    }
    TableHeader header = TableHeader.decode(in);
    List<Member> members = members(in);
    short[] owners = owners(in, header, members);
    long[] epochs = epochs(in, header);
    int[] incarnations = incarnations(in, header);
    long[] ancestors = ancestors(in);
    try {
      return new SegmentTable(header, members, owners, epochs, incarnations, ancestors);
    } catch (IllegalArgumentException e) {
      throw new WireException("A segment table is damaged: " + e.getMessage(), e);
    }
  }

  private static List<Member> members(ByteBuffer in) {
    need(in, 2, "number of members");
    int count = in.getShort();
    if (count < 0) {
      throw new WireException("A segment table has " + count + " members");
    }
    List<Member> members = new ArrayList<>();
    for (int ordinal = 0; ordinal < count; ordinal++) {
      members.add(Member.decode(in));
    }
    return members;
  }

  private static short[] owners(ByteBuffer in, TableHeader header, List<Member> members) {
    need(in, 2, "number of owners");
    int perRow = in.getShort();
    if (perRow < 0 || perRow > header.configuredOwners()) {
      throw new WireException(
          perRow + " owners a row where " + header.configuredOwners() + " are configured");
    }
    need(in, (long) header.segments() * perRow * Short.BYTES, "owners");
    short[] owners = new short[header.segments() * perRow];
    for (int at = 0; at < owners.length; at++) {
      owners[at] = in.getShort();
    }
    for (int row = 0; row < owners.length; row += perRow) {
      checkRow(owners, row, perRow, members);
    }
    return owners;
  }

  private static void checkRow(short[] owners, int row, int length, List<Member> members) {
    boolean ended = false;
    for (int at = row; at < row + length; at++) {
      int ordinal = owners[at];
      boolean valid =
          ordinal == NONE
              || (!ended
                  && ordinal >= 0
                  && ordinal < members.size()
                  && members.get(ordinal).holdsSegments()
                  && first(owners, row, ordinal) == at);
      if (!valid) {
        throw new WireException(
            "Segment " + row / length + " has a damaged row of owners: " + ordinal);
      }
      ended = ordinal == NONE;
    }
  }

  private static int first(short[] owners, int row, int ordinal) {
    int at = row;
    while (owners[at] != ordinal) {
      at++;
    }
    return at;
  }

  private static long[] epochs(ByteBuffer in, TableHeader header) {
    need(in, (long) header.segments() * Long.BYTES, "epochs of segments");
    long[] epochs = new long[header.segments()];
    for (int segment = 0; segment < epochs.length; segment++) {
      epochs[segment] = in.getLong();
      if (epochs[segment] < 0 || epochs[segment] > header.epoch()) {
        throw new WireException(
            "Segment " + segment + " has an epoch after its table's: " + epochs[segment]);
      }
    }
    return epochs;
  }

  private static int[] incarnations(ByteBuffer in, TableHeader header) {
    need(in, 4, "number of incarnations");
    int count = in.getInt();
    if (count < 0 || count > header.segments()) {
      throw new WireException("A segment table has " + count + " incarnations");
    }
    need(in, (long) count * 2 * Integer.BYTES, "incarnations");
    int[] incarnations = new int[count == 0 ? 0 : header.segments()];
    for (int i = 0; i < count; i++) {
      int segment = in.getInt();
      int incarnation = in.getInt();
      if (segment < 0 || segment >= header.segments() || incarnation < 1) {
        throw new WireException("Segment " + segment + " has the incarnation " + incarnation);
      }
      incarnations[segment] = incarnation;
    }
    return incarnations;
  }

  private static long[] ancestors(ByteBuffer in) {
    need(in, 1, "number of ancestors");
    int count = in.get();
    if (count < 0 || count > SegmentTable.MAX_ANCESTORS) {
      throw new WireException("A segment table has " + count + " ancestors");
    }
    need(in, (long) count * Long.BYTES, "ancestors");
    long[] ancestors = new long[count];
    for (int i = 0; i < count; i++) {
      ancestors[i] = in.getLong();
    }
    return ancestors;
  }

  private static int raised(SegmentTable table) {
    int raised = 0;
    for (int incarnation : table.incarnations) {
      raised += incarnation == 0 ? 0 : 1;
    }
    return raised;
  }

  private static void need(ByteBuffer in, long bytes, String what) {
    if (in.remaining() < bytes) {
      throw new WireException(
          "A segment table is cut off: "
              + bytes
              + " bytes of "
              + what
              + " are due, "
              + in.remaining()
              + " are left");
    }
  }
}
