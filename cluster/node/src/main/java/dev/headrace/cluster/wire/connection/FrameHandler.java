package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What a connection does with the frames it receives. Called on the connection's event loop only.
 */
public interface FrameHandler {

  /**
   * How long the body of such a frame may be, in bytes.
   *
   * @throws dev.headrace.api.error.WireException if no such frame may come now
   */
  int bodyLimitBytes(byte type, long correlation);

  /** Whether such a body needs a buffer of its own, which then may be retained. */
  default boolean keepsBody(byte type) {
    return false;
  }

  /**
   * Takes a frame whose checksums are right. The body's readable bytes are only valid during the
   * call unless {@link #keepsBody}.
   *
   * @throws dev.headrace.api.error.WireException if the body is not what it claims to be
   */
  void frame(byte type, long correlation, ByteBuf body);

  /** A part of a large body has arrived, and not the last one. */
  default void progressed() {}

  /** Whether more frames are welcome; if not, reading stops until the channel is writable again. */
  default boolean accepting() {
    return true;
  }

  /** The channel has become writable, or ceased to be. */
  default void writabilityChanged() {}

  /**
   * The connection is gone.
   *
   * @param cause what ended it, null if the peer closed it between two frames
   */
  void closed(@Nullable Throwable cause);
}
