package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import io.netty.buffer.ByteBuf;

/**
 * The binary form of bulk reads: what {@link MessageCodec} leaves to it. Lengths come first, then
 * the bytes of all keys or values as they lie in memory. Stateless.
 */
final class BulkCodec {
  static final byte BULK_READ = 16;
  static final byte BULK_READ_REPLY = 17;

  /** More than the numbers of any record take together. */
  private static final long NUMBERS_BYTES = 160;

  private static final int LENGTH_BYTES = 5;

  private BulkCodec() {}

  static long boundBytes(BulkRead m) {
    return NUMBERS_BYTES
        + boundOfName(m.cache())
        + (long) LENGTH_BYTES * m.keys().count()
        + boundOf(m.keys().bytes());
  }

  static long boundBytes(BulkReadReply m) {
    return NUMBERS_BYTES + (long) LENGTH_BYTES * m.lengths().length + boundOf(m.values());
  }

  static void encode(BulkRead m, ByteBuf out) {
    out.writeByte(BULK_READ);
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

  static BulkRead decodeRead(WireInput in) {
    return new BulkRead(
        in.readVarLong(),
        in.readName(),
        in.readInt(),
        in.readVarLong(),
        in.readVarLong(),
        decodeKeys(in));
  }

  private static EncodedKeys decodeKeys(WireInput in) {
    int[] ends = new int[in.readCount(BulkRead.MAX_KEYS, 1)];
    int end = 0;
    for (int key = 0; key < ends.length; key++) {
      end += in.readVarInt(); // one that overflows is not above the one before
      ends[key] = end;
    }
    return new EncodedKeys(in.readBytes(), ends);
  }

  static void encode(BulkReadReply m, ByteBuf out) {
    out.writeByte(BULK_READ_REPLY);
    writeVarLong(out, m.number());
    writeVarLong(out, m.epoch());
    writeVarInt(out, m.lengths().length);
    for (int length : m.lengths()) {
      writeVarInt(out, length - BulkReadReply.ALONE);
    }
    writeBytes(out, m.values());
  }

  static BulkReadReply decodeReply(WireInput in) {
    long number = in.readVarLong();
    long epoch = in.readVarLong();
    int[] lengths = new int[in.readCount(BulkRead.MAX_KEYS, 1)];
    for (int key = 0; key < lengths.length; key++) {
      lengths[key] = in.readVarInt() + BulkReadReply.ALONE;
    }
    return new BulkReadReply(number, epoch, lengths, in.readBytes());
  }
}
