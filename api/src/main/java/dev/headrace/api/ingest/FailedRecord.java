package dev.headrace.api.ingest;

import org.jspecify.annotations.Nullable;

/**
 * A record that was not written, or of which that is not known.
 *
 * @param number its number in the order of the source, from 0
 * @param key its key; null for a value without a key that was not given one, if the key cannot be
 *     decoded again, or, in a report, if it is of bytes or text and the keys of earlier ones leave
 *     no room for it in {@link CacheSink#memoryBytes}
 * @param cause what {@code Cache.put} would have thrown, above all a {@link
 *     dev.headrace.api.error.HeadraceException}
 */
public record FailedRecord(long number, @Nullable Object key, Throwable cause) {}
