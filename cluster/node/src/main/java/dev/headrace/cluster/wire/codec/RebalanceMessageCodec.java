package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.rebalance.message.RebalanceMessage;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.bits.BitOutput;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * The binary forms of the messages about tables and their changes. Images and deltas have forms of
 * their own. Stateless.
 */
final class RebalanceMessageCodec {
  private static final int LEAST_DELTA_BYTES = 5;

  /** The indexes are sent. */
  static final List<Form<? extends RebalanceMessage>> FORMS =
      List.of(
          form(
              TableNotice.class,
              RebalanceMessageCodec::boundOfNotice,
              RebalanceMessageCodec::encode,
              RebalanceMessageCodec::notice),
          form(
              RebalanceProgress.class,
              m -> 0,
              RebalanceMessageCodec::encode,
              RebalanceMessageCodec::progress));

  private RebalanceMessageCodec() {}

  private static long boundOfNotice(TableNotice m) {
    SegmentTable image = m.image();
    return (image == null ? 0 : image.encoded().length())
        + boundOfList(m.deltas(), delta -> delta.encoded().length());
  }

  private static void encode(TableNotice m, ByteBuf out) {
    SegmentTable image = m.image();
    writeVarLong(out, m.epoch());
    writeBoolean(out, image != null);
    if (image != null) {
      writeForm(image.encoded(), out);
    }
    writeList(out, m.deltas(), (delta, to) -> writeForm(delta.encoded(), to));
  }

  private static void writeForm(BitOutput form, ByteBuf out) {
    WireOutput.writeForm(out, form.length(), form::copyTo);
  }

  private static TableNotice notice(WireInput in) {
    return new TableNotice(
        in.readVarLong(),
        in.readBoolean() ? in.readForm(SegmentTable::decode) : null,
        in.readList(
            TableNotice.MAX_DELTAS, LEAST_DELTA_BYTES, one -> one.readForm(TableDelta::decode)));
  }

  private static void encode(RebalanceProgress m, ByteBuf out) {
    writeVarInt(out, m.plannedCopies());
    writeVarInt(out, m.lowerBound());
    writeVarInt(out, m.copies());
    writeVarInt(out, m.copying());
    writeVarLong(out, m.bytes());
    writeVarLong(out, m.elapsedNanos());
  }

  private static RebalanceProgress progress(WireInput in) {
    return new RebalanceProgress(
        in.readVarInt(),
        in.readVarInt(),
        in.readVarInt(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong());
  }
}
