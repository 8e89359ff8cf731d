package dev.headrace.api.codec;

/**
 * Turns values of a type into bytes and back.
 *
 * <p>A codec is used by many threads at the same time. A key's codec must give equal keys equal
 * bytes. Nodes that only store an entry never run its codec.
 */
public interface Codec<T> {

  /**
   * What the bytes look like, such as {@code string} or {@code record Quote(symbol string, price
   * double)}: caches opened with different formats refuse each other. A question mark follows a
   * component of fixed size that may be null. Not a class to be loaded.
   */
  String format();

  /** Appends the encoded value. */
  void encode(T value, ByteOutput out);

  /**
   * Reads a value from all of the input's remaining bytes. The input is only valid during the call.
   *
   * @throws RuntimeException if the bytes are not a value's
   */
  T decode(ByteInput in);
}
