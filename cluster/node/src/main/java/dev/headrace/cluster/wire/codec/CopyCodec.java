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

import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of what concerns copies of segments: what {@link MessageCodec} leaves to it.
 * Stateless.
 */
final class CopyCodec {
  static final byte FILL_ORDER = 9;
  static final byte FILL_CANCEL = 10;
  static final byte FILL_REPORT = 11;
  static final byte CHUNK = 12;
  static final byte LEARNED = 13;
  static final byte IN_SYNC = 14;
  static final byte PROGRESS = 15;

  /** More than the numbers of any record take together. */
  private static final long NUMBERS_BYTES = 160;

  private static final int NODE_ID_BYTES = 16;
  private static final int LEAST_COPY_BYTES = 19;
  private static final int LEAST_STATE_BYTES = 5;
  private static final int LEAST_WINDOW_BYTES = 18;
  private static final int LEAST_RESULT_BYTES = 8;

  private CopyCodec() {}

  static long boundBytes(Message message) {
    if (message instanceof CopyOrder m) {
      return NUMBERS_BYTES + m.copies().stream().mapToLong(CopyCodec::boundOfCopy).sum();
    } else if (message instanceof CopyCancel m) {
      return NUMBERS_BYTES + m.migrations().size() * 10L;
    } else if (message instanceof CopyStateReport m) {
      return NUMBERS_BYTES
          + m.states().stream().mapToLong(state -> 32 + boundOfName(state.reason())).sum();
    } else if (message instanceof Chunk m) {
      return NUMBERS_BYTES
          + boundOfName(m.cache())
          + m.from().encodedBytes()
          + m.to().encodedBytes()
          + boundOf(m.entries())
          + m.results().stream().mapToLong(CopyCodec::boundOfWindow).sum();
    } else if (message instanceof Learned m) {
      return NUMBERS_BYTES + boundOfName(m.cache()) + m.cursor().encodedBytes();
    } else if (message instanceof InSync m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof RebalanceProgress) {
      return NUMBERS_BYTES;
    }
    throw unknown(message);
  }

  private static long boundOfWindow(ResultWindow window) {
    return 32
        + window.results().stream()
            .mapToLong(result -> NUMBERS_BYTES + boundOf(result.previous()))
            .sum();
  }

  static void encode(Message message, ByteBuf out) {
    if (message instanceof CopyOrder m) {
      encodeOrder(m, out);
    } else if (message instanceof CopyCancel m) {
      out.writeByte(FILL_CANCEL);
      writeVarInt(out, m.migrations().size());
      m.migrations().forEach(migration -> writeVarLong(out, migration));
    } else if (message instanceof CopyStateReport m) {
      encodeReport(m, out);
    } else if (message instanceof Chunk m) {
      encodeChunk(m, out);
    } else if (message instanceof Learned m) {
      encodeLearned(m, out);
    } else if (message instanceof InSync m) {
      out.writeByte(IN_SYNC);
      writeName(out, m.cache());
      writeVarInt(out, m.segment());
      writeVarLong(out, m.epoch());
      writeVarLong(out, m.segmentEpoch());
      writeVarLong(out, m.copyNumber());
    } else if (message instanceof RebalanceProgress m) {
      out.writeByte(PROGRESS);
      writeVarInt(out, m.plannedCopies());
      writeVarInt(out, m.lowerBound());
      writeVarInt(out, m.copies());
      writeVarInt(out, m.copying());
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
      case IN_SYNC ->
          new InSync(
              in.readName(), in.readVarInt(), in.readVarLong(), in.readVarLong(), in.readVarLong());
      case PROGRESS ->
          new RebalanceProgress(
              in.readVarInt(),
              in.readVarInt(),
              in.readVarInt(),
              in.readVarInt(),
              in.readVarLong(),
              in.readVarLong());
      default -> throw in.damaged("no message is of kind " + kind);
    };
  }

  private static void encodeOrder(CopyOrder m, ByteBuf out) {
    out.writeByte(FILL_ORDER);
    writeVarLong(out, m.epoch());
    writeVarInt(out, m.copies().size());
    for (CopyOrder.Copy copy : m.copies()) {
      writeVarLong(out, copy.migration());
      writeVarInt(out, copy.segment());
      writeVarInt(out, copy.destinations().size());
      copy.destinations().forEach(destination -> writeNodeId(out, destination));
    }
  }

  private static long boundOfCopy(CopyOrder.Copy copy) {
    return 20 + (long) copy.destinations().size() * NODE_ID_BYTES;
  }

  private static CopyOrder decodeOrder(WireInput in) {
    long epoch = in.readVarLong();
    int count = in.readCount(CopyOrder.MAX_COPIES, LEAST_COPY_BYTES);
    List<CopyOrder.Copy> copies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      copies.add(new CopyOrder.Copy(in.readVarLong(), in.readVarInt(), destinations(in)));
    }
    return new CopyOrder(epoch, copies);
  }

  private static List<NodeId> destinations(WireInput in) {
    int count = in.readCount(CopyOrder.MAX_DESTINATIONS, NODE_ID_BYTES);
    List<NodeId> destinations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      destinations.add(in.readNodeId());
    }
    return destinations;
  }

  private static CopyCancel decodeCancel(WireInput in) {
    int count = in.readCount(CopyOrder.MAX_COPIES, 1);
    List<Long> migrations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      migrations.add(in.readVarLong());
    }
    return new CopyCancel(migrations);
  }

  private static void encodeReport(CopyStateReport m, ByteBuf out) {
    out.writeByte(FILL_REPORT);
    writeVarInt(out, m.states().size());
    for (CopyStateReport.CopyState state : m.states()) {
      writeVarLong(out, state.migration());
      writeVarInt(out, state.segment());
      writeBoolean(out, state.ready());
      writeVarLong(out, state.copiedBytes());
      writeName(out, state.reason());
    }
  }

  private static CopyStateReport decodeReport(WireInput in) {
    int count = in.readCount(CopyStateReport.MAX_STATES, LEAST_STATE_BYTES);
    List<CopyStateReport.CopyState> states = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      states.add(
          new CopyStateReport.CopyState(
              in.readVarLong(),
              in.readVarInt(),
              in.readBoolean(),
              in.readVarLong(),
              in.readName()));
    }
    return new CopyStateReport(states);
  }

  private static void encodeChunk(Chunk m, ByteBuf out) {
    out.writeByte(CHUNK);
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.copyNumber());
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

  private static void encodeWindow(ResultWindow window, ByteBuf out) {
    writeNodeId(out, window.caller());
    writeVarLong(out, window.forgottenBelow());
    writeVarInt(out, window.results().size());
    for (ResultWindow.Result result : window.results()) {
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

  private static List<ResultWindow> decodeWindows(WireInput in) {
    int count = in.readCount(Integer.MAX_VALUE, LEAST_WINDOW_BYTES);
    List<ResultWindow> windows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      windows.add(new ResultWindow(in.readNodeId(), in.readVarLong(), decodeResults(in)));
    }
    return windows;
  }

  private static List<ResultWindow.Result> decodeResults(WireInput in) {
    int count = in.readCount(Integer.MAX_VALUE, LEAST_RESULT_BYTES);
    List<ResultWindow.Result> results = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      results.add(
          new ResultWindow.Result(
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
    writeVarLong(out, m.copyNumber());
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
