package dev.headrace.cluster.wire.codec;

import io.netty.buffer.ByteBuf;

/**
 * Encodes one kind of message as a frame's body. Stateless.
 *
 * @param <T> the message
 */
public interface BodyCodec<T> {

  /** The most bytes that {@link #encode} appends. */
  long boundBytes(T message);

  /** Appends the message to a buffer with enough room. */
  void encode(T message, ByteBuf out);

  /**
   * Reads a message from all remaining bytes.
   *
   * @throws dev.headrace.api.error.WireException if the bytes are malformed
   */
  T decode(WireInput in);
}
