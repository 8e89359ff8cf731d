package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.UsageNotice;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The binary forms of what nodes tell each other unasked. That of a {@link TableNotice}: the epoch,
 * whether there is an image, the image, how many deltas, the deltas. Images and deltas have forms
 * of their own, which tell their length. That of a {@link UsageNotice}: its numbers.
 */
final class NoticeCodec {

  /** More than the numbers take together. */
  private static final long NUMBERS_BYTES = 24;

  private static final int LEAST_DELTA_BYTES = 5;

  private NoticeCodec() {}

  static long boundBytes(TableNotice notice) {
    SegmentTable image = notice.image();
    long bytes = NUMBERS_BYTES + (image == null ? 0 : image.encodedBytes());
    for (TableDelta delta : notice.deltas()) {
      bytes += delta.encodedBytes();
    }
    return bytes;
  }

  static void encode(TableNotice notice, ByteBuf out) {
    SegmentTable image = notice.image();
    writeVarLong(out, notice.epoch());
    writeBoolean(out, image != null);
    if (image != null) {
      write(out, image.encodedBytes(), image::encode);
    }
    writeVarInt(out, notice.deltas().size());
    for (TableDelta delta : notice.deltas()) {
      write(out, delta.encodedBytes(), delta::encode);
    }
  }

  static TableNotice decode(WireInput in) {
    long epoch = in.readVarLong();
    SegmentTable image = in.readBoolean() ? read(in, SegmentTable::decode) : null;
    int count = in.readCount(TableNotice.MAX_DELTAS, LEAST_DELTA_BYTES);
    List<TableDelta> deltas = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      deltas.add(read(in, TableDelta::decode));
    }
    return new TableNotice(epoch, image, deltas);
  }

  static void encode(UsageNotice usage, ByteBuf out) {
    writeVarLong(out, usage.streamBudgetBytes());
    writeVarLong(out, usage.streamBytes());
    writeVarInt(out, usage.streams());
    writeVarInt(out, usage.waitingStreams());
    writeVarLong(out, usage.bufferBytes());
  }

  static UsageNotice decodeUsage(WireInput in) {
    return new UsageNotice(
        in.readVarLong(), in.readVarLong(), in.readVarInt(), in.readVarInt(), in.readVarLong());
  }

  private static void write(ByteBuf out, int bytes, Consumer<ByteBuffer> form) {
    out.ensureWritable(bytes);
    int start = out.writerIndex();
    ByteBuffer room = out.nioBuffer(start, bytes);
    form.accept(room);
    out.writerIndex(start + room.position());
  }

  private static <T> T read(WireInput in, Function<ByteBuffer, T> form) {
    ByteBuf from = in.buffer();
    ByteBuffer bytes = from.nioBuffer();
    T read = form.apply(bytes);
    from.skipBytes(bytes.position());
    return read;
  }
}
