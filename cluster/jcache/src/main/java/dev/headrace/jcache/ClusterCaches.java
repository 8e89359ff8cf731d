package dev.headrace.jcache;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.jcache.codec.ObjectCodec;
import dev.headrace.jcache.codec.ObjectFilter;
import dev.headrace.jcache.processor.ProcessorRunner;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/** The caches that a program uses through one node. Thread-safe. */
final class ClusterCaches implements CacheManager {
  /** How often a cache that is to be removed is looked for. */
  private static final int MAX_ATTEMPTS = 3;

  private final HeadraceCachingProvider provider;
  private final Identity identity;
  private final OwnedNode node;
  private final Consumer<ClusterCaches> whenClosed;
  private final ManagerThreads threads = new ManagerThreads();

  /** Guarded by this. */
  private final Map<String, ClusterCache<?, ?>> caches = new TreeMap<>();

  /** Closed ones that are to be removed from the cluster, until that is done. Guarded by this. */
  private final Map<String, dev.headrace.api.Cache<?, ?>> unremoved = new HashMap<>();

  private volatile boolean closed;

  /**
   * By what a manager is known, and what it was made with.
   *
   * @param properties a copy
   * @param serialFilter which classes may be read beside those that a cache's types allow; null for
   *     none
   * @param runner runs entry processors of all managers, if the node is of this one
   */
  record Identity(
      URI uri,
      ClassLoader loader,
      Properties properties,
      @Nullable String serialFilter,
      ProcessorRunner runner) {}

  ClusterCaches(
      HeadraceCachingProvider provider,
      Identity identity,
      OwnedNode node,
      Consumer<ClusterCaches> whenClosed) {
    this.provider = provider;
    this.identity = identity;
    this.node = node;
    this.whenClosed = whenClosed;
  }

  ManagerThreads threads() {
    return threads;
  }

  @Override
  public CachingProvider getCachingProvider() {
    return provider;
  }

  @Override
  public URI getURI() {
    return identity.uri();
  }

  @Override
  public ClassLoader getClassLoader() {
    return identity.loader();
  }

  @Override
  public Properties getProperties() {
    Properties copy = new Properties();
    copy.putAll(identity.properties());
    return copy;
  }

  @Override
  public <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(
      String cacheName, C configuration) {
    checkOpen();
    Objects.requireNonNull(cacheName, "cacheName");
    MutableConfiguration<K, V> own = copy(Objects.requireNonNull(configuration, "configuration"));
    if (!own.isStoreByValue()) {
      throw new UnsupportedOperationException(
          "Entries are in other processes, too, so they cannot be stored by reference: leave"
              + " setStoreByValue(false) out for cache "
              + cacheName);
    }
    synchronized (this) {
      checkOpen();
      if (caches.containsKey(cacheName)) {
        throw new CacheException(
            "This CacheManager has a cache " + cacheName + " already: get it with getCache");
      }
      ClusterCache<K, V> cache = open(cacheName, own);
      caches.put(cacheName, cache);
      unremoved.remove(cacheName);
      return cache;
    }
  }

  private static <K, V> MutableConfiguration<K, V> copy(Configuration<K, V> given) {
    if (given instanceof CompleteConfiguration<K, V> complete) {
      return new MutableConfiguration<>(complete);
    }
    return new MutableConfiguration<K, V>()
        .setTypes(given.getKeyType(), given.getValueType())
        .setStoreByValue(given.isStoreByValue());
  }

  @SuppressWarnings("unchecked") // The codec is one of all objects; the cache checks types.
  private <K, V> ClusterCache<K, V> open(String name, MutableConfiguration<K, V> configuration) {
    ObjectFilter filter;
    try {
      filter =
          new ObjectFilter(
              identity.loader(),
              Set.copyOf(List.of(configuration.getKeyType(), configuration.getValueType())),
              identity.serialFilter());
    } catch (IllegalArgumentException e) {
      throw new CacheException("The serialFilter is no pattern: " + e.getMessage(), e);
    }
    ObjectCodec codec = new ObjectCodec(filter);
    try {
      identity.runner().allow(configuration.getKeyType(), configuration.getValueType());
      dev.headrace.api.Cache<K, V> entries =
          node.get().cache(new CacheSettings<>(name, (Codec<K>) codec, (Codec<V>) codec));
      return new ClusterCache<>(
          this,
          entries,
          new CacheParts.Configured<>(
              identity.uri(), name, configuration, filter, threads.events(), node.settings()));
    } catch (HeadraceException | IllegalArgumentException e) {
      throw new CacheException("Cache " + name + " cannot be created: " + e.getMessage(), e);
    }
  }

  @Override
  public <K, V> @Nullable Cache<K, V> getCache(
      String cacheName, Class<K> keyType, Class<V> valueType) {
    checkOpen();
    Objects.requireNonNull(keyType, "keyType");
    Objects.requireNonNull(valueType, "valueType");
    ClusterCache<K, V> cache = find(cacheName);
    if (cache != null) {
      MutableConfiguration<K, V> configuration = cache.parts().configuration();
      check(cacheName, "keys", configuration.getKeyType(), keyType);
      check(cacheName, "values", configuration.getValueType(), valueType);
    }
    return cache;
  }

  private static void check(String cache, String what, Class<?> present, Class<?> asked) {
    if (!present.equals(asked)) {
      throw new ClassCastException(
          "Cache "
              + cache
              + " was created for "
              + what
              + " of type "
              + present.getName()
              + ", not "
              + asked.getName());
    }
  }

  @Override
  public <K, V> @Nullable Cache<K, V> getCache(String cacheName) {
    checkOpen();
    return find(cacheName);
  }

  @SuppressWarnings("unchecked") // The caller says which types they are.
  private synchronized <K, V> @Nullable ClusterCache<K, V> find(String name) {
    return (ClusterCache<K, V>) caches.get(Objects.requireNonNull(name, "cacheName"));
  }

  @Override
  public synchronized Iterable<String> getCacheNames() {
    checkOpen();
    return List.copyOf(caches.keySet());
  }

  /**
   * Closes a cache of this manager and removes it from the cluster. If that fails, the cache is
   * closed all the same, and the next call removes it.
   *
   * @throws CacheException if the cluster cannot remove it now
   */
  @Override
  public void destroyCache(String cacheName) {
    checkOpen();
    ClusterCache<Object, Object> cache = find(cacheName);
    dev.headrace.api.Cache<?, ?> entries;
    synchronized (this) {
      if (cache != null) {
        unremoved.put(cacheName, cache.entries());
      }
      entries = unremoved.get(cacheName);
    }
    if (cache != null) {
      cache.close();
    }
    if (entries != null) {
      CacheParts.run(() -> destroy(entries, node.get()));
      synchronized (this) {
        unremoved.remove(cacheName, entries);
      }
    }
  }

  /**
   * Removes a cache from the cluster. It is not there if nobody has written to it, or another
   * manager has just removed it; or it is not known yet, with or without its formats, because it
   * was opened a moment ago. So it is emptied as the cache that is open here, and looked for again.
   */
  private static void destroy(dev.headrace.api.Cache<?, ?> entries, Headrace node) {
    String cacheName = entries.name();
    entries.clear();
    for (int attempt = 1; ; attempt++) {
      try {
        awaited(node.destroy(cacheName));
        return;
      } catch (HeadraceException e) {
        if (isGone(cacheName, node, e)) {
          return;
        } else if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Whether no node knows a cache that could not be removed; if they do not tell, throws why. */
  private static boolean isGone(String cacheName, Headrace node, HeadraceException why) {
    try {
      CacheReport left = awaited(node.caches());
      return left.complete() && left.cache(cacheName).isEmpty();
    } catch (HeadraceException e) {
      if (e != why) {
        why.addSuppressed(e);
      }
      throw why;
    }
  }

  private static <T extends @Nullable Object> T awaited(CompletableFuture<T> call) {
    try {
      return call.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof HeadraceException known) {
        throw known;
      }
      throw new CacheException("The cluster could not be asked: " + e.getCause(), e);
    }
  }

  @Override
  public void enableManagement(String cacheName, boolean enabled) {
    checkOpen();
    ClusterCache<Object, Object> cache = find(cacheName);
    if (cache != null) {
      cache.parts().enableManagement(enabled);
    }
  }

  @Override
  public void enableStatistics(String cacheName, boolean enabled) {
    checkOpen();
    ClusterCache<Object, Object> cache = find(cacheName);
    if (cache != null) {
      cache.parts().enableStatistics(enabled);
    }
  }

  /** A cache is closed. */
  synchronized void forget(ClusterCache<?, ?> cache) {
    caches.remove(cache.getName(), cache);
  }

  @Override
  public void close() {
    List<ClusterCache<?, ?>> open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = new ArrayList<>(caches.values());
    }
    whenClosed.accept(this);
    open.forEach(ClusterCache::close);
    threads.close();
    node.close();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    checkOpen();
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    if (type.isAssignableFrom(Headrace.class)) {
      return type.cast(node.get());
    }
    throw new IllegalArgumentException(
        "A CacheManager is no "
            + type.getName()
            + ": it can be unwrapped to dev.headrace.api.Headrace");
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "The CacheManager " + identity.uri() + " is closed: get another one of its provider");
    }
  }
}
