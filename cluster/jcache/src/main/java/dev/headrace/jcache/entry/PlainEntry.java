package dev.headrace.jcache.entry;

import javax.cache.Cache;

/**
 * A key and its value at one moment.
 *
 * @param getKey the key
 * @param getValue the value
 */
public record PlainEntry<K, V>(K getKey, V getValue) implements Cache.Entry<K, V> {

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new IllegalArgumentException("An entry of a cache is no " + type.getName());
  }
}
