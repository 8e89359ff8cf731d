package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNullableBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.rebalance.message.Progress;
import dev.headrace.replication.message.CallerWindow;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.FillCancel;
import dev.headrace.replication.message.FillOrder;
import dev.headrace.replication.message.FillReport;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Levelled;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The binary form of what concerns fills: what {@link MessageCodec} leaves to it. Stateless. */
final class FillCodec {
  static final byte FILL_ORDER = 9;
  static final byte FILL_CANCEL = 10;
  static final byte FILL_REPORT = 11;
  static final byte CHUNK = 12;
  static final byte LEARNED = 13;
  static final byte LEVELLED = 14;
  static final byte PROGRESS = 15;

  /** More than the numbers of any record take together. */
  private static final long NUMBERS_BYTES = 160;

  private static final int NODE_ID_BYTES = 16;
  private static final int LEAST_FILL_BYTES = 19;
  private static final int LEAST_STATE_BYTES = 5;
  private static final int LEAST_WINDOW_BYTES = 18;
  private static final int LEAST_RESULT_BYTES = 8;

  private FillCodec() {}

  static long boundBytes(Message message) {
    if (message instanceof FillOrder m) {
      return NUMBERS_BYTES + m.fills().stream().mapToLong(FillCodec::boundOfFill).sum();
    } else if (message instanceof FillCancel m) {
      return NUMBERS_BYTES + m.migrations().size() * 10L;
    } else if (message instanceof FillReport m) {
      return NUMBERS_BYTES
          + m.states().stream().mapToLong(state -> 32 + boundOfName(state.reason())).sum();
    } else if (message instanceof Chunk m) {
      return NUMBERS_BYTES
          + boundOfName(m.cache())
          + m.from().encodedBytes()
          + m.to().encodedBytes()
          + boundOf(m.entries())
          + m.results().stream().mapToLong(FillCodec::boundOfWindow).sum();
    } else if (message instanceof Learned m) {
      return NUMBERS_BYTES + boundOfName(m.cache()) + m.cursor().encodedBytes();
    } else if (message instanceof Levelled m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof Progress) {
      return NUMBERS_BYTES;
    }
    throw unknown(message);
  }

  private static long boundOfWindow(CallerWindow window) {
    return 32
        + window.results().stream()
            .mapToLong(result -> NUMBERS_BYTES + boundOf(result.previous()))
            .sum();
  }

  static void encode(Message message, ByteBuf out) {
    if (message instanceof FillOrder m) {
      encodeOrder(m, out);
    } else if (message instanceof FillCancel m) {
      out.writeByte(FILL_CANCEL);
      writeVarInt(out, m.migrations().size());
      m.migrations().forEach(migration -> writeVarLong(out, migration));
    } else if (message instanceof FillReport m) {
      encodeReport(m, out);
    } else if (message instanceof Chunk m) {
      encodeChunk(m, out);
    } else if (message instanceof Learned m) {
      encodeLearned(m, out);
    } else if (message instanceof Levelled m) {
      out.writeByte(LEVELLED);
      writeName(out, m.cache());
      writeVarInt(out, m.segment());
      writeVarLong(out, m.epoch());
      writeVarLong(out, m.segmentEpoch());
      writeVarLong(out, m.fill());
    } else if (message instanceof Progress m) {
      out.writeByte(PROGRESS);
      writeVarInt(out, m.plannedCopies());
      writeVarInt(out, m.lowerBound());
      writeVarInt(out, m.copies());
      writeVarInt(out, m.filling());
      writeVarLong(out, m.bytes());
      writeVarLong(out, m.elapsedNanos());
    } else {
      throw unknown(message);
    }
  }

  private static IllegalArgumentException unknown(Message message) {
    return new IllegalArgumentException("no binary form is known of " + message);
  }

  /** Reads what follows the kind. */
  static Message decode(byte kind, WireInput in) {
    return switch (kind) {
      case FILL_ORDER -> decodeOrder(in);
      case FILL_CANCEL -> decodeCancel(in);
      case FILL_REPORT -> decodeReport(in);
      case CHUNK -> decodeChunk(in);
      case LEARNED -> decodeLearned(in);
      case LEVELLED ->
          new Levelled(
              in.readName(), in.readVarInt(), in.readVarLong(), in.readVarLong(), in.readVarLong());
      case PROGRESS ->
          new Progress(
              in.readVarInt(),
              in.readVarInt(),
              in.readVarInt(),
              in.readVarInt(),
              in.readVarLong(),
              in.readVarLong());
      default -> throw in.damaged("no message is of kind " + kind);
    };
  }

  private static void encodeOrder(FillOrder m, ByteBuf out) {
    out.writeByte(FILL_ORDER);
    writeVarLong(out, m.epoch());
    writeVarInt(out, m.fills().size());
    for (FillOrder.Fill fill : m.fills()) {
      writeVarLong(out, fill.migration());
      writeVarInt(out, fill.segment());
      writeVarInt(out, fill.destinations().size());
      fill.destinations().forEach(destination -> writeNodeId(out, destination));
    }
  }

  private static long boundOfFill(FillOrder.Fill fill) {
    return 20 + (long) fill.destinations().size() * NODE_ID_BYTES;
  }

  private static FillOrder decodeOrder(WireInput in) {
    long epoch = in.readVarLong();
    int count = in.readCount(FillOrder.MAX_FILLS, LEAST_FILL_BYTES);
    List<FillOrder.Fill> fills = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      fills.add(new FillOrder.Fill(in.readVarLong(), in.readVarInt(), destinations(in)));
    }
    return new FillOrder(epoch, fills);
  }

  private static List<NodeId> destinations(WireInput in) {
    int count = in.readCount(FillOrder.MAX_DESTINATIONS, NODE_ID_BYTES);
    List<NodeId> destinations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      destinations.add(in.readNodeId());
    }
    return destinations;
  }

  private static FillCancel decodeCancel(WireInput in) {
    int count = in.readCount(FillOrder.MAX_FILLS, 1);
    List<Long> migrations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      migrations.add(in.readVarLong());
    }
    return new FillCancel(migrations);
  }

  private static void encodeReport(FillReport m, ByteBuf out) {
    out.writeByte(FILL_REPORT);
    writeVarInt(out, m.states().size());
    for (FillReport.FillState state : m.states()) {
      writeVarLong(out, state.migration());
      writeVarInt(out, state.segment());
      writeBoolean(out, state.ready());
      writeVarLong(out, state.copiedBytes());
      writeName(out, state.reason());
    }
  }

  private static FillReport decodeReport(WireInput in) {
    int count = in.readCount(FillReport.MAX_STATES, LEAST_STATE_BYTES);
    List<FillReport.FillState> states = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      states.add(
          new FillReport.FillState(
              in.readVarLong(),
              in.readVarInt(),
              in.readBoolean(),
              in.readVarLong(),
              in.readName()));
    }
    return new FillReport(states);
  }

  private static void encodeChunk(Chunk m, ByteBuf out) {
    out.writeByte(CHUNK);
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.fill());
    writeVarLong(out, m.number());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.term());
    writeCursor(m.from(), out);
    writeCursor(m.to(), out);
    writeBoolean(out, m.last());
    writeBytes(out, m.entries());
    writeVarInt(out, m.results().size());
    m.results().forEach(window -> encodeWindow(window, out));
  }

  private static Chunk decodeChunk(WireInput in) {
    return new Chunk(
        in.readName(),
        in.readInt(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        readCursor(in),
        readCursor(in),
        in.readBoolean(),
        in.readBytes(),
        decodeWindows(in));
  }

  private static void encodeWindow(CallerWindow window, ByteBuf out) {
    writeNodeId(out, window.caller());
    writeVarLong(out, window.forgottenBelow());
    writeVarInt(out, window.results().size());
    for (CallerWindow.Result result : window.results()) {
      writeVarLong(out, result.callerSequence());
      writeVarLong(out, result.sequence());
      writeBoolean(out, result.applied());
      writeNullableBytes(out, result.previous());
      writeBoolean(out, result.complete());
      writeVarLong(out, result.term());
      writeVarLong(out, result.counter());
      writeVarLong(out, result.number());
    }
  }

  private static List<CallerWindow> decodeWindows(WireInput in) {
    int count = in.readCount(Integer.MAX_VALUE, LEAST_WINDOW_BYTES);
    List<CallerWindow> windows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      windows.add(new CallerWindow(in.readNodeId(), in.readVarLong(), decodeResults(in)));
    }
    return windows;
  }

  private static List<CallerWindow.Result> decodeResults(WireInput in) {
    int count = in.readCount(Integer.MAX_VALUE, LEAST_RESULT_BYTES);
    List<CallerWindow.Result> results = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      results.add(
          new CallerWindow.Result(
              in.readVarLong(),
              in.readVarLong(),
              in.readBoolean(),
              in.readNullableBytes(),
              in.readBoolean(),
              in.readVarLong(),
              in.readVarLong(),
              in.readVarLong()));
    }
    return results;
  }

  private static void encodeLearned(Learned m, ByteBuf out) {
    out.writeByte(LEARNED);
    writeName(out, m.cache());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.fill());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.chunks());
    writeCursor(m.cursor(), out);
    writeBoolean(out, m.complete());
    writeBoolean(out, m.missing());
  }

  private static Learned decodeLearned(WireInput in) {
    return new Learned(
        in.readName(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        readCursor(in),
        in.readBoolean(),
        in.readBoolean());
  }

  static void writeCursor(Cursor cursor, ByteBuf out) {
    int bytes = cursor.encodedBytes();
    out.ensureWritable(bytes);
    int start = out.writerIndex();
    ByteBuffer room = out.nioBuffer(start, bytes);
    cursor.write(room);
    out.writerIndex(start + bytes);
  }

  static Cursor readCursor(WireInput in) {
    ByteBuf from = in.buffer();
    ByteBuffer bytes = from.nioBuffer();
    Cursor cursor = Cursor.read(bytes);
    from.skipBytes(bytes.position());
    return cursor;
  }
}
