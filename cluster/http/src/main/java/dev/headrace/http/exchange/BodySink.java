package dev.headrace.http.exchange;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Takes a body piece by piece. Each piece is one chunk of HTTP. Any thread may call it, one at a
 * time; nothing blocks, and nothing follows {@link #end} or {@link #abort}.
 */
public interface BodySink {

  /**
   * Sends a piece.
   *
   * @param piece at least one byte; belongs to the sink from now on
   */
  void write(byte[] piece);

  /**
   * Sends a copy of a piece, whose array stays the caller's.
   *
   * @param length at least 1; the piece is at the beginning of the array
   */
  default void writeCopy(byte[] array, int length) {
    write(Arrays.copyOf(array, length));
  }

  /**
   * Whether more should be written now. What was written and the socket has not taken is bounded by
   * writers who ask this; {@link StreamedBody#room} follows when it is true again.
   */
  boolean hasRoom();

  /**
   * Runs tasks on the thread that writes to the socket. What these write is sent at once, without
   * waking another thread; they must be short, and stop when there is no room.
   */
  Executor executor();

  /**
   * Ends the body.
   *
   * @param trailers headers that follow it
   */
  void end(Map<String, String> trailers);

  /** Breaks the connection, so that the client does not take what it has for the whole. */
  void abort();
}
