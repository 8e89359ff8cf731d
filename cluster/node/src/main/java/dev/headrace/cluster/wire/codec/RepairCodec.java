package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.replication.message.RepairMessage.Mend;
import dev.headrace.replication.message.RepairMessage.Mended;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.entry.PositionRange;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** The binary form of what concerns repairs: what {@link MessageCodec} leaves to it. Stateless. */
final class RepairCodec {
  /** Kinds from here on are repairs. */
  static final byte FIRST_KIND = 32;

  private static final byte COMPARE = FIRST_KIND;
  private static final byte COMPARED = 33;
  private static final byte MEND = 34;
  private static final byte MENDED = 35;
  private static final byte ORDER = 36;
  private static final byte REPORT = 37;

  /** More than the numbers of any record take together. */
  private static final long NUMBERS_BYTES = 160;

  private static final int LEAST_DIFFERENCE_BYTES = 2;
  private static final int MAX_SET_BYTES = RepairMessage.MAX_SEGMENTS / Byte.SIZE;

  private RepairCodec() {}

  static long boundBytes(RepairMessage message) {
    if (message instanceof Compare m) {
      return NUMBERS_BYTES + boundOfName(m.cache()) + (long) m.hashes().length * Long.BYTES;
    } else if (message instanceof Compared m) {
      return NUMBERS_BYTES + boundOfName(m.cache()) + m.differences().size() * 10L;
    } else if (message instanceof Mend m) {
      return NUMBERS_BYTES
          + boundOfName(m.cache())
          + m.from().encodedBytes()
          + m.to().encodedBytes()
          + boundOf(m.entries());
    } else if (message instanceof Mended m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof Order m) {
      return NUMBERS_BYTES
          + boundOf(m.segments())
          + m.caches().stream().mapToLong(WireOutput::boundOfName).sum();
    } else if (message instanceof Report m) {
      return NUMBERS_BYTES + boundOf(m.done()) + boundOf(m.refused());
    }
    throw unknown(message);
  }

  private static IllegalArgumentException unknown(RepairMessage message) {
    return new IllegalArgumentException("no binary form is known of " + message);
  }

  static void encode(RepairMessage message, ByteBuf out) {
    if (message instanceof Compare m) {
      encodeCompare(m, out);
    } else if (message instanceof Compared m) {
      encodeCompared(m, out);
    } else if (message instanceof Mend m) {
      encodeMend(m, out);
    } else if (message instanceof Mended m) {
      encodeMended(m, out);
    } else if (message instanceof Order m) {
      encodeOrder(m, out);
    } else if (message instanceof Report m) {
      encodeReport(m, out);
    } else {
      throw unknown(message);
    }
  }

  /** Reads what follows the kind. */
  static RepairMessage decode(byte kind, WireInput in) {
    return switch (kind) {
      case COMPARE -> decodeCompare(in);
      case COMPARED -> decodeCompared(in);
      case MEND -> decodeMend(in);
      case MENDED -> decodeMended(in);
      case ORDER -> decodeOrder(in);
      case REPORT -> decodeReport(in);
      default -> throw in.damaged("no message is of kind " + kind);
    };
  }

  private static void encodeLane(
      byte kind, String cache, int segment, long epoch, long segmentEpoch, ByteBuf out) {
    out.writeByte(kind);
    writeName(out, cache);
    writeVarInt(out, segment);
    writeVarLong(out, epoch);
    writeVarLong(out, segmentEpoch);
  }

  private static void encodeCompare(Compare m, ByteBuf out) {
    encodeLane(COMPARE, m.cache(), m.segment(), m.epoch(), m.segmentEpoch(), out);
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.number());
    out.writeByte(m.first().depth());
    out.writeLong(m.first().first());
    out.writeByte(m.hashes().length);
    for (long hash : m.hashes()) {
      out.writeLong(hash);
    }
  }

  private static Compare decodeCompare(WireInput in) {
    String cache = in.readName();
    int segment = in.readVarInt();
    long epoch = in.readVarLong();
    long segmentEpoch = in.readVarLong();
    long sequence = in.readVarLong();
    long number = in.readVarLong();
    byte depth = in.readByte();
    long position = in.readLong();
    byte count = in.readByte();
    if (count < 1 || count > RepairMessage.MAX_RANGES) {
      throw in.damaged("it compares " + count + " ranges");
    }
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = in.readLong();
    }
    PositionRange first = new PositionRange(depth, position);
    return new Compare(cache, segment, epoch, segmentEpoch, sequence, number, first, hashes);
  }

  private static void encodeCompared(Compared m, ByteBuf out) {
    encodeLane(COMPARED, m.cache(), m.segment(), m.epoch(), m.segmentEpoch(), out);
    writeVarLong(out, m.number());
    writeBoolean(out, m.level());
    writeVarInt(out, m.differences().size());
    for (Difference difference : m.differences()) {
      writeVarInt(out, difference.range());
      writeVarInt(out, difference.entries());
    }
  }

  private static Compared decodeCompared(WireInput in) {
    String cache = in.readName();
    int segment = in.readVarInt();
    long epoch = in.readVarLong();
    long segmentEpoch = in.readVarLong();
    long number = in.readVarLong();
    boolean level = in.readBoolean();
    int count = in.readCount(RepairMessage.MAX_RANGES, LEAST_DIFFERENCE_BYTES);
    List<Difference> differences = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      differences.add(new Difference(in.readVarInt(), in.readVarInt()));
    }
    return new Compared(cache, segment, epoch, segmentEpoch, number, level, differences);
  }

  private static void encodeMend(Mend m, ByteBuf out) {
    encodeLane(MEND, m.cache(), m.segment(), m.epoch(), m.segmentEpoch(), out);
    out.writeInt(m.format());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.number());
    CopyCodec.writeCursor(m.from(), out);
    CopyCodec.writeCursor(m.to(), out);
    writeBytes(out, m.entries());
  }

  private static Mend decodeMend(WireInput in) {
    String cache = in.readName();
    int segment = in.readVarInt();
    long epoch = in.readVarLong();
    long segmentEpoch = in.readVarLong();
    int format = in.readInt();
    return new Mend(
        cache,
        format,
        segment,
        epoch,
        segmentEpoch,
        in.readVarLong(),
        in.readVarLong(),
        CopyCodec.readCursor(in),
        CopyCodec.readCursor(in),
        in.readBytes());
  }

  private static void encodeMended(Mended m, ByteBuf out) {
    encodeLane(MENDED, m.cache(), m.segment(), m.epoch(), m.segmentEpoch(), out);
    writeVarLong(out, m.number());
    writeBoolean(out, m.level());
    writeVarInt(out, m.extra());
    writeVarInt(out, m.wrong());
    writeVarInt(out, m.newer());
  }

  private static Mended decodeMended(WireInput in) {
    return new Mended(
        in.readName(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readBoolean(),
        in.readVarInt(),
        in.readVarInt(),
        in.readVarInt());
  }

  private static void encodeOrder(Order m, ByteBuf out) {
    out.writeByte(ORDER);
    writeVarLong(out, m.id());
    writeVarInt(out, m.caches().size());
    m.caches().forEach(cache -> writeName(out, cache));
    writeBytes(out, m.segments());
  }

  private static Order decodeOrder(WireInput in) {
    long id = in.readVarLong();
    int count = in.readCount(RepairMessage.MAX_CACHES, 1);
    List<String> caches = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      caches.add(in.readName());
    }
    return new Order(id, caches, readSet(in));
  }

  private static void encodeReport(Report m, ByteBuf out) {
    out.writeByte(REPORT);
    writeVarLong(out, m.id());
    writeBytes(out, m.done());
    writeBytes(out, m.refused());
    RepairStats stats = m.stats();
    writeVarLong(out, stats.entries());
    writeVarLong(out, stats.bytes());
    writeVarLong(out, stats.differences());
    writeVarLong(out, stats.repaired());
    writeVarLong(out, stats.newer());
    writeVarLong(out, stats.sentBytes());
  }

  private static Report decodeReport(WireInput in) {
    long id = in.readVarLong();
    byte[] done = readSet(in);
    byte[] refused = readSet(in);
    return new Report(
        id,
        done,
        refused,
        new RepairStats(
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong()));
  }

  private static byte[] readSet(WireInput in) {
    byte[] set = in.readBytes();
    if (set.length > MAX_SET_BYTES) {
      throw in.damaged("a set of segments has " + set.length + " bytes");
    }
    return set;
  }
}
