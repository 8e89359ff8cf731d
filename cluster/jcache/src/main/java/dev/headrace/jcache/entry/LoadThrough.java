package dev.headrace.jcache.entry;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import javax.cache.CacheException;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loader of a cache, if it has one. What it throws becomes a {@link CacheLoaderException}. */
public final class LoadThrough<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(LoadThrough.class);

  private final @Nullable CacheLoader<K, V> loader;
  private final boolean onRead;

  /**
   * A loader, or none.
   *
   * @param onRead whether reads of absent keys load them
   */
  public LoadThrough(@Nullable CacheLoader<K, V> loader, boolean onRead) {
    this.loader = loader;
    this.onRead = onRead && loader != null;
  }

  /** Whether reads of absent keys load them. */
  public boolean onRead() {
    return onRead;
  }

  /** Whether there is a loader. */
  public boolean exists() {
    return loader != null;
  }

  /** The value of a key; null if there is none, or no loader. */
  public @Nullable V load(K key) {
    if (loader == null) {
      return null;
    }
    try {
      return loader.load(key);
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** The values of those keys that have one. */
  public Map<K, V> loadAll(Collection<? extends K> keys) {
    if (loader == null || keys.isEmpty()) {
      return Map.of();
    }
    Map<K, V> loaded;
    try {
      loaded = loader.loadAll(keys);
    } catch (RuntimeException e) {
      throw failed(e);
    }
    if (loaded == null) {
      return Map.of();
    }
    Map<K, V> present = new HashMap<>();
    for (K key : keys) {
      V value = loaded.get(key);
      if (value != null) {
        present.put(key, value);
      }
    }
    return present;
  }

  private static CacheException failed(RuntimeException failure) {
    return failure instanceof CacheLoaderException ofLoader
        ? ofLoader
        : new CacheLoaderException("The loader of the cache has failed: " + failure, failure);
  }

  /** Closes the loader, if it can be closed. */
  public void close() {
    if (loader instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("The loader of a cache could not be closed", e);
      }
    }
  }
}
