package dev.headrace.api.codec;

/**
 * A codec of other Java values for bytes that the built-in codec of the same format has made. What
 * the bytes look like is read from the format, so that filters, selections and reductions know the
 * fields of a cache that was opened with it.
 *
 * <p>As a part of a value, such as a component of a record, it writes exactly as many bytes as its
 * format has if all values of the format have equally many; else encoding fails.
 *
 * @param <T> what it turns bytes into, such as text
 */
public interface FormatCodec<T> extends Codec<T> {}
