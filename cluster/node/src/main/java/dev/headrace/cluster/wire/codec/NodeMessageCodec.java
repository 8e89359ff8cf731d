package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CacheForgotten;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.cluster.message.NodeMessage;
import dev.headrace.cluster.message.Probe;
import dev.headrace.cluster.message.UsageNotice;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** The binary forms of the messages that nodes send about themselves. Stateless. */
final class NodeMessageCodec {
  private static final long ROW_NUMBERS_BYTES = 40;
  private static final int LEAST_ROW_BYTES = 5;
  private static final int SEGMENT_BYTES = 5;

  /** The indexes are sent. */
  static final List<Form<? extends NodeMessage>> FORMS =
      List.of(
          form(
              Probe.class,
              m -> 0,
              NodeMessageCodec::encode,
              in -> new Probe(in.readVarLong(), in.readBoolean(), in.readByte(), in.readByte())),
          form(
              UsageNotice.class,
              m -> boundOfList(m.outOfSyncSegments(), segment -> SEGMENT_BYTES),
              NodeMessageCodec::encode,
              NodeMessageCodec::usageNotice),
          form(
              CountCaches.class,
              m -> boundOfName(m.after()),
              NodeMessageCodec::encode,
              in -> new CountCaches(in.readVarLong(), in.readName())),
          form(
              CacheCounts.class,
              m -> boundOfList(m.rows(), NodeMessageCodec::boundOfRow),
              NodeMessageCodec::encode,
              NodeMessageCodec::cacheCounts));

  /** Those since version {@value ForgetCache#PROTOCOL} of the protocol. */
  static final List<Form<? extends NodeMessage>> LATER_FORMS =
      List.of(
          form(
              ForgetCache.class,
              m -> boundOfName(m.cache()),
              NodeMessageCodec::encode,
              in -> new ForgetCache(in.readVarLong(), in.readName())),
          form(
              CacheForgotten.class,
              m -> 0,
              NodeMessageCodec::encode,
              in -> new CacheForgotten(in.readVarLong(), in.readBoolean())));

  private NodeMessageCodec() {}

  private static void encode(Probe m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeBoolean(out, m.answer());
    out.writeByte(m.share());
    out.writeByte(m.shares());
  }

  private static void encode(UsageNotice m, ByteBuf out) {
    writeVarLong(out, m.streamBudgetBytes());
    writeVarLong(out, m.streamBytes());
    writeVarInt(out, m.streams());
    writeVarInt(out, m.waitingStreams());
    writeVarLong(out, m.bufferBytes());
    writeVarLong(out, m.changeBytes());
    writeVarInt(out, m.outOfSyncReplicas());
    writeList(out, m.outOfSyncSegments(), (segment, to) -> writeVarInt(to, segment));
  }

  private static UsageNotice usageNotice(WireInput in) {
    return new UsageNotice(
        in.readVarLong(),
        in.readVarLong(),
        in.readVarInt(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarInt(),
        in.readList(UsageNotice.MAX_NAMED, 1, WireInput::readVarInt));
  }

  private static void encode(CountCaches m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeName(out, m.after());
  }

  private static void encode(ForgetCache m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeName(out, m.cache());
  }

  private static void encode(CacheForgotten m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeBoolean(out, m.forgotten());
  }

  private static long boundOfRow(CacheCounts.Row row) {
    return ROW_NUMBERS_BYTES + boundOfName(row.cache()) + boundOfName(row.formats());
  }

  private static void encode(CacheCounts m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeVarInt(out, m.primarySegments());
    writeBoolean(out, m.more());
    writeList(out, m.rows(), NodeMessageCodec::encode);
  }

  private static CacheCounts cacheCounts(WireInput in) {
    return new CacheCounts(
        in.readVarLong(),
        in.readVarInt(),
        in.readBoolean(),
        in.readList(CacheCounts.MAX_ROWS, LEAST_ROW_BYTES, NodeMessageCodec::row));
  }

  private static void encode(CacheCounts.Row row, ByteBuf out) {
    writeName(out, row.cache());
    writeVarLong(out, row.entries());
    writeVarLong(out, row.bytes());
    writeVarLong(out, row.replicaBytes());
    writeName(out, row.formats());
  }

  private static CacheCounts.Row row(WireInput in) {
    return new CacheCounts.Row(
        in.readName(), in.readVarLong(), in.readVarLong(), in.readVarLong(), in.readName());
  }
}
