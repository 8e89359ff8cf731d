package dev.headrace.cluster.wire.connection;

import org.jspecify.annotations.Nullable;

/**
 * Handles the frames that a connection receives, and its changes. Called on the connection's event
 * loop only.
 */
public interface FrameHandler extends FrameReceiver {

  /** The handshake has ended, and its last frame has left: this node may send frames. */
  default void welcomed() {}

  /**
   * Whether the handler accepts more frames. If not, reading stops until the channel is writable
   * again.
   */
  default boolean accepting() {
    return true;
  }

  /** The channel has become writable or unwritable. */
  default void writabilityChanged() {}

  /**
   * The connection has ended.
   *
   * @param cause why it ended; null if the peer closed it between two frames
   */
  void closed(@Nullable Throwable cause);
}
