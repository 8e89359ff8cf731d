package dev.headrace.api.codec;

/**
 * A codec of other Java values for bytes that the built-in codec of the same format has made. What
 * the bytes look like is read from the format, so that filters, selections and reductions know the
 * fields of a cache that was opened with it.
 *
 * @param <T> what it turns bytes into, such as text
 */
public interface FormatCodec<T> extends Codec<T> {}
