package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;

/**
 * What a {@link Link} is used for.
 *
 * @param <T> what is sent over it
 */
public interface LinkUse<T> {

  /** Beyond so many queued bytes the connection is given up. The same at all times. */
  long maxQueuedBytes();

  /** Something is about to be sent under this number. Called under the link's lock. */
  default void sending(long number, T body) {}

  /**
   * What was sent over the connection has no future. Called under the link's lock.
   *
   * @return what to do about it outside of the lock
   */
  Runnable lost(Throwable cause);

  /** The peer has closed or reset the connection, which was in use; {@link #lost} follows. */
  default void hungUp() {}

  /** See {@link FrameHandler#bodyLimitBytes}. */
  int bodyLimitBytes(byte type, long correlation);

  /** See {@link FrameHandler#keepsBody}. */
  default boolean keepsBody(byte type) {
    return false;
  }

  /** See {@link FrameHandler#frame}. */
  void frame(byte type, long correlation, ByteBuf body);
}
