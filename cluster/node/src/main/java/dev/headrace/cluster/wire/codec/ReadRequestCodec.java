package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeCursor;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.operator.Operators;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The binary form of {@link ReadRequest}. */
public final class ReadRequestCodec implements BodyCodec<ReadRequest> {

  /** More than all numbers outside of the arrays take. */
  private static final int NUMBERS_BYTES = 64;

  /** The most bytes of a segment and its incarnation. */
  private static final int MOST_SEGMENT_BYTES = 10;

  private static final int LEAST_SEGMENT_BYTES = 2;
  private static final byte[] NO_OPERATORS = {};
  private static final Projection[] PROJECTIONS = Projection.values();

  @Override
  public long boundBytes(ReadRequest request) {
    long bytes =
        (long) NUMBERS_BYTES
            + WireOutput.boundOfName(request.cache())
            + (long) MOST_SEGMENT_BYTES * request.segments().length
            + request.firstCursor().encodedBytes();
    byte[][] keys = request.keys();
    if (keys != null) {
      for (byte[] key : keys) {
        bytes += WireOutput.boundOf(key);
      }
    }
    Operators operators = request.operators();
    return bytes + (operators == null ? 1 : WireOutput.boundOf(operators.bytes()));
  }

  @Override
  public void encode(ReadRequest request, ByteBuf out) {
    writeName(out, request.cache());
    out.writeInt(request.format());
    writeVarLong(out, request.epoch());
    int[] segments = request.segments();
    int[] incarnations = request.incarnations();
    writeVarInt(out, segments.length);
    for (int i = 0; i < segments.length; i++) {
      writeVarInt(out, segments[i]);
      writeVarInt(out, incarnations[i]);
    }
    writeCursor(out, request.firstCursor());
    writeVarInt(out, request.maxEntries());
    writeVarInt(out, request.maxBytes());
    writeBoolean(out, request.alone());
    writeConstant(out, request.projection());
    byte[][] keys = request.keys();
    writeVarInt(out, keys == null ? 0 : keys.length);
    if (keys != null) {
      for (byte[] key : keys) {
        writeBytes(out, key);
      }
    }
    Operators operators = request.operators();
    writeBytes(out, operators == null ? NO_OPERATORS : operators.bytes());
  }

  @Override
  @SuppressWarnings("NullAway") // NullAway does not see in class files that an array may be null.
  public ReadRequest decode(WireInput in) {
    String cache = in.readName();
    int format = in.readInt();
    long epoch = in.readVarLong();
    int count = in.readCount(ReadRequest.MAX_SEGMENTS, LEAST_SEGMENT_BYTES);
    int[] segments = new int[count];
    int[] incarnations = new int[count];
    for (int i = 0; i < count; i++) {
      segments[i] = in.readVarInt();
      incarnations[i] = in.readVarInt();
    }
    Cursor cursor = in.readCursor();
    int maxEntries = in.readVarInt();
    int maxBytes = in.readVarInt();
    boolean alone = in.readBoolean();
    Projection projection = in.readConstant(PROJECTIONS);
    byte @Nullable [][] keys = decodeKeys(in);
    byte[] program = in.readBytes();
    in.end();
    try {
      return new ReadRequest(
          cache,
          format,
          epoch,
          segments,
          incarnations,
          cursor,
          maxEntries,
          maxBytes,
          alone,
          projection,
          keys,
          program.length == 0 ? null : Operators.load(program));
    } catch (IllegalArgumentException e) {
      throw in.damaged(String.valueOf(e.getMessage()));
    }
  }

  private static byte @Nullable [][] decodeKeys(WireInput in) {
    int count = in.readCount(ReadRequest.MAX_KEYS, 1);
    if (count == 0) {
      return null;
    }
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = in.readBytes();
    }
    return keys;
  }
}
