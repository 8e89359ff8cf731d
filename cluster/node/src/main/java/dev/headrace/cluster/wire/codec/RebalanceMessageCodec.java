package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.WireOutput.NODE_ID_BYTES;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceMessage;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.migration.SegmentCopy;
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
  private static final int LEAST_MOVE_BYTES = 2 + NODE_ID_BYTES;
  private static final int MOVE_NUMBERS_BYTES = 11;

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

  /** Those since version {@value MovesNotice#PROTOCOL} of the protocol. */
  static final List<Form<? extends RebalanceMessage>> LATER_FORMS =
      List.of(
          form(
              MovesNotice.class,
              m -> boundOfList(m.moves(), RebalanceMessageCodec::boundOfMove),
              RebalanceMessageCodec::encode,
              in ->
                  new MovesNotice(
                      in.readList(
                          MovesNotice.MAX_NAMED, LEAST_MOVE_BYTES, RebalanceMessageCodec::move))));

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

  private static long boundOfMove(MovesNotice.Move move) {
    return MOVE_NUMBERS_BYTES + (long) NODE_ID_BYTES * (1 + move.destinations().size());
  }

  private static void encode(MovesNotice m, ByteBuf out) {
    writeList(out, m.moves(), RebalanceMessageCodec::encode);
  }

  private static void encode(MovesNotice.Move move, ByteBuf out) {
    writeVarInt(out, move.segment());
    writeBoolean(out, move.copied());
    writeNodeId(out, move.source());
    writeList(out, move.destinations(), (destination, to) -> writeNodeId(to, destination));
  }

  private static MovesNotice.Move move(WireInput in) {
    int segment = in.readVarInt();
    boolean copied = in.readBoolean();
    return new MovesNotice.Move(
        segment,
        in.readNodeId(),
        in.readList(SegmentCopy.MAX_DESTINATIONS, NODE_ID_BYTES, WireInput::readNodeId),
        copied);
  }
}
