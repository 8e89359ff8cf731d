package dev.headrace.http.cache;

import dev.headrace.api.Cache;
import dev.headrace.http.text.TextForm;

/**
 * A cache that is opened on its encoded bytes.
 *
 * @param bytes the cache
 * @param keys how its keys are read and written
 * @param values how its values are read and written
 */
public record OpenCache(Cache<byte[], byte[]> bytes, TextForm keys, TextForm values) {}
