package dev.headrace.cluster.wire.codec;

import io.netty.buffer.ByteBuf;

/**
 * How one kind of message becomes a frame's body. Stateless.
 *
 * @param <T> the message
 */
public interface BodyCodec<T> {

  /** At most how many bytes {@link #encode} appends. */
  long boundBytes(T message);

  /** Appends the message to a buffer that has the room. */
  void encode(T message, ByteBuf out);

  /**
   * Reads a message from all remaining bytes.
   *
   * @throws dev.headrace.api.error.WireException if they are not a message's
   */
  T decode(WireInput in);
}
