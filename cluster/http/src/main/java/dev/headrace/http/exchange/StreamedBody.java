package dev.headrace.http.exchange;

/**
 * A body that is made while it is sent. The connection calls its methods on an event loop; they
 * must not block.
 */
public interface StreamedBody {

  /** The headers are on their way: begin to write. Called at most once. */
  void begin(BodySink sink);

  /** The sink has room again, after {@link BodySink#hasRoom} was false. */
  void room();

  /**
   * What to send after a while in which nothing was sent, so that a client that has gone is
   * noticed, and what lies between keeps the connection. Not called while bytes wait for the
   * socket. Pieces are not divided by it.
   *
   * @return empty for nothing
   */
  default byte[] whileQuiet() {
    return new byte[0];
  }

  /**
   * The socket has taken nothing for a while although bytes wait for it: hold as little as
   * possible. Called again and again until it takes some.
   */
  default void stalled() {}

  /** Nobody reads on, or the body was never begun: release everything. Called once if at all. */
  void cancelled();
}
