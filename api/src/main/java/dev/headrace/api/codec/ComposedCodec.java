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
}
