package dev.headrace.cluster.wire.connection;

/**
 * The user of a {@link Link}.
 *
 * @param <T> what is sent over the link
 */
public interface LinkUse<T> {

  /** The most queued bytes, beyond which the connection is closed. Always the same number. */
  long maxQueuedBytes();

  /** A body is about to be sent under this number. Called under the link's lock. */
  default void sending(long number, T body) {}

  /**
   * The connection is lost, and what was sent over it gets no answer. Called under the link's lock.
   *
   * @return what to do after the lock is released
   */
  Runnable lost(Throwable cause);

  /** The peer has closed or reset the connection while it was in use. {@link #lost} follows. */
  default void hungUp() {}

  /** Handles what arrives over a new connection. Asked once for each that the link opens. */
  FrameReceiver receiver();
}
