package dev.headrace.api.codec;

/**
 * Turns values of a type into bytes and back.
 *
 * <p>A codec is used by many threads at the same time. A key's codec must give equal keys equal
 * bytes. Nodes that only store an entry never run its codec.
 *
 * @param <T> the type
 */
public interface Codec<T> {

  /**
   * What the bytes look like, such as {@code string} or {@code record Quote(symbol string, price
   * double)}: caches opened with different formats refuse each other, unless records in their
   * values have got or lost components ({@link Codecs#evolved}). A question mark follows a
   * component of fixed size that may be null. Not a class to be loaded. A format of one's own has a
   * name that no built-in one has: whoever knows only the format reads the bytes by it.
   *
   * @return the same text at every call and on every node
   */
  String format();

  /**
   * Appends the encoded value.
   *
   * @param value never null
   * @param out only valid during the call
   * @throws ClassCastException if the value is of another type, which the caller is told as it is
   * @throws RuntimeException if the value cannot be encoded, which the caller is told as a {@link
   *     dev.headrace.api.error.CodecException}
   */
  void encode(T value, ByteOutput out);

  /**
   * Reads a value from all of the input's remaining bytes.
   *
   * @param in only valid during the call
   * @return never null
   * @throws RuntimeException if the bytes are not a value's, which the caller is told as a {@link
   *     dev.headrace.api.error.CodecException}
   */
  T decode(ByteInput in);

  /**
   * Whether what is decoded equals what was encoded, for classes that are equal by their content.
   * It is asked when a cache object writes its first value: one that does not equal its copy is
   * refused.
   *
   * @return false if parts may be left out on purpose, such as the transient fields of serialized
   *     objects
   */
  default boolean keepsEquality() {
    return true;
  }
}
