package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeCursor;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of a batch.
 *
 * <pre>
 *  0  long  epoch
 *  8  long  size of the next entry if it is too large, else 0
 * 16  long  the last mutation that the entries may contain, -1 if nobody copies
 * 24  int   length of the entries in bytes
 * 28  entries
 *     parts: their number, then of each its segment, entries, status and cursor
 * </pre>
 *
 * <p>The entries begin at a fixed place, so that a store can copy them into the outgoing buffer
 * before the rest of the answer is known. The parts follow them.
 */
public final class AnswerCodec {

  /** Where the entries begin. */
  public static final int ENTRIES_AT = 28;

  private static final int SEQUENCE_AT = 16;
  private static final int LENGTH_AT = 24;

  /** The most bytes of a part without its cursor's key. */
  private static final int MOST_PART_BYTES = 5 + 5 + 1 + 9;

  private static final int LEAST_PART_BYTES = 4;

  private static final SegmentPart.Status[] STATUSES = SegmentPart.Status.values();

  private AnswerCodec() {}

  /** The bytes of the parts if no cursor has a key. */
  public static int roomForParts(int segments) {
    return 5 + segments * MOST_PART_BYTES;
  }

  /** The most bytes that {@link #encodeParts} appends. */
  public static long boundOfParts(List<SegmentPart> parts) {
    long bytes = roomForParts(parts.size());
    for (SegmentPart part : parts) {
      bytes += part.cursor().encodedBytes();
    }
    return bytes;
  }

  /** Writes the fields before the entries, at {@code start}. */
  public static void encodeFront(
      ByteBuf out, int start, long epoch, long entryBytes, long sequence, int entriesBytes) {
    out.setLong(start, epoch);
    out.setLong(start + Long.BYTES, entryBytes);
    out.setLong(start + SEQUENCE_AT, sequence);
    out.setInt(start + LENGTH_AT, entriesBytes);
  }

  /**
   * The batch in a body.
   *
   * @param entriesBytes what {@link #skipEntries} has returned for it
   * @param parts what {@link #decodeParts} has returned for it
   */
  public static Batch batch(
      ByteBuf body, int start, int entriesBytes, List<SegmentPart> parts, Runnable releaser) {
    return new Batch(
        body.getLong(start),
        body.nioBuffer(start + ENTRIES_AT, entriesBytes),
        parts,
        body.getLong(start + Long.BYTES),
        body.getLong(start + SEQUENCE_AT),
        releaser);
  }

  /** Appends the parts. */
  public static void encodeParts(List<SegmentPart> parts, ByteBuf out) {
    writeVarInt(out, parts.size());
    for (SegmentPart part : parts) {
      writeVarInt(out, part.segment());
      writeVarInt(out, part.entries());
      writeConstant(out, part.status());
      writeCursor(out, part.cursor());
    }
  }

  /**
   * Checks the fields before the entries and moves the reader index behind the entries.
   *
   * @param maxBytes the most bytes of entries that are allowed
   * @return the length of the entries, which begin {@link #ENTRIES_AT} after the former reader
   *     index
   * @throws dev.headrace.api.error.WireException if the length is impossible
   */
  public static int skipEntries(ByteBuf body, WireInput in, int maxBytes) {
    if (body.readableBytes() < ENTRIES_AT) {
      throw in.damaged("a batch is cut off");
    }
    int bytes = body.getInt(body.readerIndex() + LENGTH_AT);
    if (bytes < 0 || bytes > maxBytes || bytes > body.readableBytes() - ENTRIES_AT) {
      throw in.damaged(
          "a batch claims %s bytes of entries, but %d were asked for and %d are there"
              .formatted(
                  Integer.toUnsignedString(bytes), maxBytes, body.readableBytes() - ENTRIES_AT));
    }
    body.skipBytes(ENTRIES_AT + bytes);
    return bytes;
  }

  /**
   * Reads the parts, which end the body.
   *
   * @param maxEntries the most entries of all parts together
   * @throws dev.headrace.api.error.WireException if the bytes are malformed
   */
  public static List<SegmentPart> decodeParts(WireInput in, int maxEntries) {
    int count = in.readCount(ReadRequest.MAX_SEGMENTS, LEAST_PART_BYTES);
    List<SegmentPart> parts = new ArrayList<>(count);
    long allEntries = 0;
    for (int i = 0; i < count; i++) {
      int segment = in.readVarInt();
      int entries = in.readVarInt();
      SegmentPart.Status status = in.readConstant(STATUSES);
      Cursor cursor = in.readCursor();
      allEntries += entries;
      if (entries < 0 || allEntries > maxEntries) {
        throw in.damaged(
            "a batch claims %d entries, but %d were asked for".formatted(allEntries, maxEntries));
      }
      parts.add(new SegmentPart(segment, entries, status, cursor));
    }
    in.end();
    return parts;
  }
}
