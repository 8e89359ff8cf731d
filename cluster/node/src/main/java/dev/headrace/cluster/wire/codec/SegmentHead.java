package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.SegmentMessage;
import io.netty.buffer.ByteBuf;

/**
 * The beginning of every {@link SegmentMessage}: cache, segment, the sender's epoch, and the epoch
 * at which the segment's owners last changed.
 *
 * <p>Reusable, so that reading it allocates nothing: it holds the values that were read last.
 */
final class SegmentHead {
  private static final int NUMBERS_BYTES = 5 + 10 + 10;

  private String cache = "";
  private int segment;
  private long epoch;
  private long segmentEpoch;

  static long boundBytes(SegmentMessage message) {
    return (long) NUMBERS_BYTES + boundOfName(message.cache());
  }

  static void write(SegmentMessage message, ByteBuf out) {
    writeName(out, message.cache());
    writeVarInt(out, message.segment());
    writeVarLong(out, message.epoch());
    writeVarLong(out, message.segmentEpoch());
  }

  SegmentHead read(WireInput in) {
    cache = in.readName();
    segment = in.readVarInt();
    epoch = in.readVarLong();
    segmentEpoch = in.readVarLong();
    return this;
  }

  String cache() {
    return cache;
  }

  int segment() {
    return segment;
  }

  long epoch() {
    return epoch;
  }

  long segmentEpoch() {
    return segmentEpoch;
  }
}
