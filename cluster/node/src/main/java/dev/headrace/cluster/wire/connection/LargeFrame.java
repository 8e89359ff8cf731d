package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.BodyCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A frame in a buffer of its own. It is encoded, and its checksum computed, without the link's
 * lock.
 *
 * @param out space for the header, then the body
 */
record LargeFrame(ByteBuf out, int bodyBytes, int checksum) {

  /**
   * Encodes a body.
   *
   * @param boundBytes the most bytes of header and body
   * @throws WireException if that exceeds the largest frame
   */
  static <T> LargeFrame encode(
      BodyCodec<T> codec, T body, long boundBytes, ByteBufAllocator allocator) {
    if (boundBytes > Integer.MAX_VALUE - 1024) {
      throw new WireException(
          "a message of up to %d bytes does not fit into a frame; use smaller entries"
              .formatted(boundBytes));
    }
    ByteBuf out = allocator.directBuffer((int) boundBytes);
    try {
      out.writerIndex(Frame.HEADER_BYTES);
      codec.encode(body, out);
      int bodyBytes = out.writerIndex() - Frame.HEADER_BYTES;
      int checksum = new Frame().checksumOf(out, Frame.HEADER_BYTES, bodyBytes);
      return new LargeFrame(out, bodyBytes, checksum);
    } catch (RuntimeException | Error e) {
      out.release();
      throw e;
    }
  }

  /** Writes the header and returns the whole frame. */
  ByteBuf withHeader(Frame frame, byte type, long number) {
    frame.writeHeader(out, 0, type, number, bodyBytes, checksum);
    return out;
  }
}
