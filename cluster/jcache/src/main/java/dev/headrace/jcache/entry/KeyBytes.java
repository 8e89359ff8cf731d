package dev.headrace.jcache.entry;

import dev.headrace.jcache.codec.ObjectCodec;
import java.util.Arrays;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * A key as the cluster knows it: two keys are the same if their bytes are, whatever their classes
 * say of equality and order. Immutable.
 */
final class KeyBytes implements Comparable<KeyBytes> {
  private final byte[] bytes;
  private final int hash;

  private KeyBytes(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  /**
   * The bytes of a key.
   *
   * @throws CacheException if it has none, because it cannot be serialized
   */
  static KeyBytes of(Object key) {
    try {
      return new KeyBytes(ObjectCodec.bytes(key));
    } catch (RuntimeException e) { // of user code, too
      throw new CacheException("The key cannot be stored: " + e.getMessage(), e);
    }
  }

  @Override
  public int compareTo(KeyBytes other) {
    return Arrays.compare(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyBytes key && hash == key.hash && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
