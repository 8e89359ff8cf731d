package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;

/**
 * Writes the elements of one response in some form. Used by one thread at a time.
 *
 * @param <T> entries, or rows of some of their parts
 */
interface ElementWriter<T> {

  /** What comes before the first element. */
  default void begin(ByteOutput out) {}

  /**
   * An element.
   *
   * @throws RuntimeException if its bytes are none of the cache's formats
   */
  void element(T element, ByteOutput out);

  /** A token with which another response can go on behind the elements so far. */
  void token(String token, ByteOutput out);

  /**
   * Why the response is not whole.
   *
   * @param problem a JSON object
   * @param token to go on with; empty if there is none
   */
  void failure(String problem, String token, ByteOutput out);

  /** What comes behind the last element. */
  default void end(ByteOutput out) {}
}
