package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.WireOutput.NODE_ID_BYTES;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNullableBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.replication.message.ResultsReceived;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The binary forms of replication's messages that concern more than one segment. Of several keys or
 * values all lengths come first, then all bytes as they are in memory. Stateless.
 */
final class ReplicationMessageCodec {
  private static final int LENGTH_BYTES = 5;
  private static final int MAX_LONG_BYTES = 10;
  private static final int LEAST_COPY_BYTES = 19;
  private static final int LEAST_STATE_BYTES = 5;

  private static final OperationReply.Outcome[] OUTCOMES = OperationReply.Outcome.values();

  /** The indexes are sent. */
  static final List<Form<? extends ReplicationMessage>> FORMS =
      List.of(
          form(
              OperationReply.class,
              m -> boundOf(m.value()),
              ReplicationMessageCodec::encode,
              ReplicationMessageCodec::operationReply),
          form(
              ResultsReceived.class,
              m -> (long) MAX_LONG_BYTES * m.oldestOutstanding().length,
              ReplicationMessageCodec::encode,
              ReplicationMessageCodec::resultsReceived),
          form(
              BulkRead.class,
              m ->
                  boundOfName(m.cache())
                      + (long) LENGTH_BYTES * m.keys().count()
                      + boundOf(m.keys().bytes()),
              ReplicationMessageCodec::encode,
              ReplicationMessageCodec::bulkRead),
          form(
              BulkReadReply.class,
              m -> (long) LENGTH_BYTES * m.lengths().length + boundOf(m.values()),
              ReplicationMessageCodec::encode,
              ReplicationMessageCodec::bulkReadReply),
          form(
              CopyOrder.class,
              m -> boundOfList(m.copies(), ReplicationMessageCodec::boundOfCopy),
              ReplicationMessageCodec::encode,
              ReplicationMessageCodec::copyOrder),
          form(
              CopyCancel.class,
              m -> boundOfList(m.migrations(), migration -> MAX_LONG_BYTES),
              (m, out) -> writeList(out, m.migrations(), (one, to) -> writeVarLong(to, one)),
              in -> new CopyCancel(in.readList(CopyOrder.MAX_COPIES, 1, WireInput::readVarLong))),
          form(
              CopyStateReport.class,
              m -> boundOfList(m.states(), state -> 32 + boundOfName(state.reason())),
              (m, out) -> writeList(out, m.states(), ReplicationMessageCodec::encode),
              in ->
                  new CopyStateReport(
                      in.readList(
                          CopyStateReport.MAX_STATES,
                          LEAST_STATE_BYTES,
                          ReplicationMessageCodec::copyState))),
          form(
              MemoryNotice.class,
              m -> 0,
              ReplicationMessageCodec::encode,
              in -> new MemoryNotice(in.readVarLong(), in.readVarLong())));

  private ReplicationMessageCodec() {}

  // ---- Callers

  private static void encode(OperationReply m, ByteBuf out) {
    writeVarLong(out, m.sequence());
    writeConstant(out, m.outcome());
    writeBoolean(out, m.applied());
    writeNullableBytes(out, m.value());
    writeVarLong(out, m.versionTerm());
    writeVarLong(out, m.versionCounter());
    writeVarLong(out, m.number());
    writeVarLong(out, m.epoch());
  }

  private static OperationReply operationReply(WireInput in) {
    return new OperationReply(
        in.readVarLong(),
        in.readConstant(OUTCOMES),
        in.readBoolean(),
        in.readNullableBytes(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encode(ResultsReceived m, ByteBuf out) {
    writeVarInt(out, m.oldestOutstanding().length);
    for (long oldest : m.oldestOutstanding()) {
      writeVarLong(out, oldest);
    }
  }

  private static ResultsReceived resultsReceived(WireInput in) {
    long[] oldest = new long[in.readCount(ResultsReceived.MAX_SHARES, 1)];
    for (int i = 0; i < oldest.length; i++) {
      oldest[i] = in.readVarLong();
    }
    return new ResultsReceived(oldest);
  }

  private static void encode(BulkRead m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.epoch());
    EncodedKeys keys = m.keys();
    writeVarInt(out, keys.count());
    for (int key = 0; key < keys.count(); key++) {
      writeVarInt(out, keys.length(key));
    }
    writeBytes(out, keys.bytes());
  }

  private static BulkRead bulkRead(WireInput in) {
    return new BulkRead(
        in.readVarLong(),
        in.readName(),
        in.readInt(),
        in.readVarLong(),
        in.readVarLong(),
        keys(in));
  }

  private static EncodedKeys keys(WireInput in) {
    int[] ends = new int[in.readCount(BulkRead.MAX_KEYS, 1)];
    int end = 0;
    for (int key = 0; key < ends.length; key++) {
      end += in.readVarInt(); // a sum that overflows is not above the one before
      ends[key] = end;
    }
    return new EncodedKeys(in.readBytes(), ends);
  }

  private static void encode(BulkReadReply m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeVarLong(out, m.epoch());
    writeVarInt(out, m.lengths().length);
    for (int length : m.lengths()) {
      writeVarInt(out, length - BulkReadReply.ALONE);
    }
    writeBytes(out, m.values());
  }

  private static BulkReadReply bulkReadReply(WireInput in) {
    long number = in.readVarLong();
    long epoch = in.readVarLong();
    int[] lengths = new int[in.readCount(BulkRead.MAX_KEYS, 1)];
    for (int key = 0; key < lengths.length; key++) {
      lengths[key] = in.readVarInt() + BulkReadReply.ALONE;
    }
    return new BulkReadReply(number, epoch, lengths, in.readBytes());
  }

  // ---- Copies

  private static long boundOfCopy(CopyOrder.Copy copy) {
    return 20 + (long) NODE_ID_BYTES * copy.destinations().size();
  }

  private static void encode(CopyOrder m, ByteBuf out) {
    writeVarLong(out, m.epoch());
    writeList(out, m.copies(), ReplicationMessageCodec::encode);
  }

  private static CopyOrder copyOrder(WireInput in) {
    return new CopyOrder(
        in.readVarLong(),
        in.readList(CopyOrder.MAX_COPIES, LEAST_COPY_BYTES, ReplicationMessageCodec::copy));
  }

  private static void encode(CopyOrder.Copy copy, ByteBuf out) {
    writeVarLong(out, copy.migration());
    writeVarInt(out, copy.segment());
    writeList(out, copy.destinations(), (destination, to) -> writeNodeId(to, destination));
  }

  private static CopyOrder.Copy copy(WireInput in) {
    return new CopyOrder.Copy(
        in.readVarLong(),
        in.readVarInt(),
        in.readList(CopyOrder.MAX_DESTINATIONS, NODE_ID_BYTES, WireInput::readNodeId));
  }

  private static void encode(CopyStateReport.CopyState state, ByteBuf out) {
    writeVarLong(out, state.migration());
    writeVarInt(out, state.segment());
    writeBoolean(out, state.ready());
    writeVarLong(out, state.copiedBytes());
    writeName(out, state.reason());
  }

  private static CopyStateReport.CopyState copyState(WireInput in) {
    return new CopyStateReport.CopyState(
        in.readVarLong(), in.readVarInt(), in.readBoolean(), in.readVarLong(), in.readName());
  }

  private static void encode(MemoryNotice m, ByteBuf out) {
    writeVarLong(out, m.usedBytes());
    writeVarLong(out, m.limitBytes());
  }
}
