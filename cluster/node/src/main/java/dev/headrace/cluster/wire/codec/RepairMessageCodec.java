package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.Form.segmentForm;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeCursor;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.entry.PositionRange;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** The binary forms of the messages of repairs. Stateless. */
final class RepairMessageCodec {
  private static final int LEAST_DIFFERENCE_BYTES = 2;
  private static final int MAX_SET_BYTES = RepairMessage.MAX_SEGMENTS / Byte.SIZE;

  /** The indexes are sent. */
  static final List<Form<? extends RepairMessage>> FORMS =
      List.of(
          segmentForm(
              Compare.class,
              m -> (long) m.hashes().length * Long.BYTES,
              RepairMessageCodec::encode,
              RepairMessageCodec::compare),
          segmentForm(
              Compared.class,
              m -> boundOfList(m.differences(), difference -> 10),
              RepairMessageCodec::encode,
              RepairMessageCodec::compared),
          segmentForm(
              RepairRange.class,
              m -> m.from().encodedBytes() + m.to().encodedBytes() + (long) boundOf(m.entries()),
              RepairMessageCodec::encode,
              RepairMessageCodec::repairRange),
          segmentForm(
              RangeRepaired.class,
              m -> 0,
              RepairMessageCodec::encode,
              RepairMessageCodec::rangeRepaired),
          form(
              Order.class,
              m -> boundOf(m.segments()) + boundOfList(m.caches(), WireOutput::boundOfName),
              RepairMessageCodec::encode,
              RepairMessageCodec::order),
          form(
              Report.class,
              m -> boundOf(m.done()) + (long) boundOf(m.refused()),
              RepairMessageCodec::encode,
              RepairMessageCodec::report));

  private RepairMessageCodec() {}

  private static void encode(Compare m, ByteBuf out) {
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.number());
    out.writeByte(m.first().depth());
    out.writeLong(m.first().first());
    out.writeByte(m.hashes().length);
    for (long hash : m.hashes()) {
      out.writeLong(hash);
    }
  }

  private static Compare compare(SegmentHead head, WireInput in) {
    return new Compare(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong(),
        new PositionRange(in.readByte(), in.readLong()),
        hashes(in));
  }

  private static long[] hashes(WireInput in) {
    byte count = in.readByte();
    if (count < 1 || count > RepairMessage.MAX_RANGES) {
      throw in.damaged("it compares " + count + " ranges");
    }
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = in.readLong();
    }
    return hashes;
  }

  private static void encode(Compared m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeBoolean(out, m.level());
    writeList(out, m.differences(), RepairMessageCodec::encode);
  }

  private static Compared compared(SegmentHead head, WireInput in) {
    return new Compared(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readBoolean(),
        in.readList(
            RepairMessage.MAX_RANGES, LEAST_DIFFERENCE_BYTES, RepairMessageCodec::difference));
  }

  private static void encode(Difference difference, ByteBuf out) {
    writeVarInt(out, difference.range());
    writeVarInt(out, difference.entries());
  }

  private static Difference difference(WireInput in) {
    return new Difference(in.readVarInt(), in.readVarInt());
  }

  private static void encode(RepairRange m, ByteBuf out) {
    out.writeInt(m.format());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.number());
    writeCursor(out, m.from());
    writeCursor(out, m.to());
    writeBytes(out, m.entries());
  }

  private static RepairRange repairRange(SegmentHead head, WireInput in) {
    return new RepairRange(
        head.cache(),
        in.readInt(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong(),
        in.readCursor(),
        in.readCursor(),
        in.readBytes());
  }

  private static void encode(RangeRepaired m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeBoolean(out, m.level());
    writeVarInt(out, m.extra());
    writeVarInt(out, m.wrong());
    writeVarInt(out, m.newer());
  }

  private static RangeRepaired rangeRepaired(SegmentHead head, WireInput in) {
    return new RangeRepaired(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readBoolean(),
        in.readVarInt(),
        in.readVarInt(),
        in.readVarInt());
  }

  private static void encode(Order m, ByteBuf out) {
    writeVarLong(out, m.id());
    writeList(out, m.caches(), (cache, to) -> writeName(to, cache));
    writeBytes(out, m.segments());
  }

  private static Order order(WireInput in) {
    return new Order(
        in.readVarLong(),
        in.readList(RepairMessage.MAX_CACHES, 1, WireInput::readName),
        segments(in));
  }

  private static void encode(Report m, ByteBuf out) {
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

  private static Report report(WireInput in) {
    return new Report(
        in.readVarLong(),
        segments(in),
        segments(in),
        new RepairStats(
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong(),
            in.readVarLong()));
  }

  private static byte[] segments(WireInput in) {
    byte[] set = in.readBytes();
    if (set.length > MAX_SET_BYTES) {
      throw in.damaged("a set of segments has " + set.length + " bytes");
    }
    return set;
  }
}
