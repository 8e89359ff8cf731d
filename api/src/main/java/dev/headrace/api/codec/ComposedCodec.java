package dev.headrace.api.codec;

/**
 * The codec of a record, or of a class of properties, whose components have codecs of their own.
 * Immutable.
 *
 * <p>A component whose type has no built-in codec needs one through {@link #with}; as long as it
 * has none, {@code format}, {@code encode} and {@code decode} throw a {@link
 * dev.headrace.api.error.CodecException} that names it.
 *
 * @param <T> the record or class
 */
public sealed interface ComposedCodec<T> extends Codec<T> permits RecordCodec {

  /**
   * The same codec, but with another one for a component. The format changes with it, and so do the
   * bytes: a component of a format of fixed size has no length.
   *
   * @param component its name
   * @param codec for values of the component's type; null is not handed to it
   * @throws IllegalArgumentException if there is no such component, or if the codec calls its
   *     format like a built-in one of fixed size, such as {@code long}, without being a {@link
   *     FormatCodec}
   */
  ComposedCodec<T> with(String component, Codec<?> codec);

  /**
   * The same codec, but with another value for a component in values that were written before the
   * record had it. Without this it is 0 or false, an empty array, {@code List}, {@code Set}, {@code
   * Map} or {@code Optional}, or null. The format does not change.
   *
   * <p>The component is not stored in a value in which it is this, so programs that read one cache
   * must be given the same: another one would change what stored values mean.
   *
   * @param component its name
   * @param value of the component's type; must not be changed afterwards
   * @throws IllegalArgumentException if there is no such component
   * @throws ClassCastException if the value is of another type
   */
  ComposedCodec<T> withDefault(String component, Object value);
}
