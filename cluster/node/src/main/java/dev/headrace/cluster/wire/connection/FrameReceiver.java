package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;

/** Handles what arrives over one connection. Called on the connection's event loop only. */
public interface FrameReceiver {

  /**
   * The longest body of such a frame, in bytes.
   *
   * @throws dev.headrace.api.error.WireException if such a frame is not allowed now
   */
  int bodyLimitBytes(byte type, long correlation);

  /** Whether such a body gets a buffer of its own, which the handler may retain. */
  default boolean keepsBody(byte type) {
    return false;
  }

  /**
   * Handles a frame whose checksums match. The body's readable bytes are valid during the call
   * only, unless {@link #keepsBody}.
   *
   * @throws dev.headrace.api.error.WireException if the body is malformed
   */
  void frame(byte type, long correlation, ByteBuf body);

  /** A part of a large body, not the last one, has arrived. */
  default void progressed() {}
}
