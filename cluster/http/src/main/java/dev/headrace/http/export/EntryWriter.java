package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;

/** Writes the entries of one response in some form. Used by one thread at a time. */
interface EntryWriter {

  /** What comes before the first entry. */
  default void begin(ByteOutput out) {}

  /**
   * An entry, encoded.
   *
   * @throws RuntimeException if its bytes are none of the cache's formats
   */
  void entry(byte[] key, byte[] value, ByteOutput out);

  /** A token with which another response can go on behind the entries so far. */
  void token(String token, ByteOutput out);

  /**
   * Why the response is not whole.
   *
   * @param problem a JSON object
   * @param token to go on with; empty if there is none
   */
  void failure(String problem, String token, ByteOutput out);

  /** What comes behind the last entry. */
  default void end(ByteOutput out) {}
}
