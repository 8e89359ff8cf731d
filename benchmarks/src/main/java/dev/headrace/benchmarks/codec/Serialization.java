package dev.headrace.benchmarks.codec;

/**
 * Turns objects into bytes and back, with buffers that it uses again. Used by one thread.
 *
 * @param <T> the objects
 */
interface Serialization<T> {

  /**
   * Encodes an object in place of the one before.
   *
   * @return the number of its bytes
   */
  int encode(T object);

  /** A copy of the bytes of the last object. */
  byte[] bytes();

  /** Takes the bytes of many objects. */
  void load(byte[] all);

  /** Decodes an object of those that were loaded. */
  T decode(int from, int lengthBytes);
}
