package dev.headrace.api;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.nio.charset.StandardCharsets;

/**
 * The settings of a cache.
 *
 * @param name the cache's name in the cluster, 1 to 255 bytes in UTF-8
 * @param keyCodec how keys become bytes; equal keys must have equal bytes
 * @param valueCodec how values become bytes
 */
public record CacheSettings<K, V>(String name, Codec<K> keyCodec, Codec<V> valueCodec) {

  /** Checks the name. */
  public CacheSettings {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > 255) {
      throw new IllegalArgumentException(
          "A cache's name must have 1 to 255 bytes in UTF-8, but \"" + name + "\" has " + bytes);
    }
  }

  /** Settings with the built-in codecs of two types. */
  public static <K, V> CacheSettings<K, V> of(String name, Class<K> keyType, Class<V> valueType) {
    return new CacheSettings<>(name, Codecs.of(keyType), Codecs.of(valueType));
  }
}
