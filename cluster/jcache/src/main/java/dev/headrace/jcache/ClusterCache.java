package dev.headrace.jcache;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.jcache.entry.EntryAccess;
import dev.headrace.jcache.entry.EntryOperation;
import dev.headrace.jcache.entry.EntryOutcome;
import dev.headrace.jcache.entry.EntryVerdict;
import dev.headrace.jcache.entry.LoadThrough;
import dev.headrace.jcache.entry.ProcessedEntry;
import dev.headrace.jcache.entry.ProcessorResult;
import dev.headrace.jcache.management.AccessCounts;
import dev.headrace.jcache.processor.PrimaryProcessors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.integration.CompletionListener;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the cluster with JCache's operations. What is done to an entry is decided by {@link
 * EntryAccess}; here arguments are checked and what was done is counted. Thread-safe.
 */
final class ClusterCache<K, V> implements Cache<K, V> {

  /** How many keys {@link #removeAll()} removes at a time. */
  private static final int REMOVED_AT_ONCE = 1000;

  private final ClusterCaches manager;
  private final CacheParts<K, V> parts;
  private final dev.headrace.api.Cache<K, V> entries;
  private final EntryAccess<K, V> access;
  private final BulkAccess<K, V> bulk;
  private final LoadThrough<K, V> loader;
  private final AccessCounts counts;
  private volatile boolean closed;

  /** A cache of a manager, with what it was configured with. */
  ClusterCache(
      ClusterCaches manager,
      dev.headrace.api.Cache<K, V> entries,
      CacheParts.Configured<K, V> configured) {
    this.manager = manager;
    this.entries = entries;
    this.parts = new CacheParts<>(this, entries, configured);
    this.access = parts.access();
    this.bulk = parts.bulk();
    this.loader = parts.loader();
    this.counts = parts.counts();
  }

  /** What belongs to the cache in this manager. */
  CacheParts<K, V> parts() {
    return parts;
  }

  /** The cache of the cluster. */
  dev.headrace.api.Cache<K, V> entries() {
    return entries;
  }

  @Override
  public @Nullable V get(K key) {
    checkKey(key);
    long start = AccessCounts.now();
    V present = CacheParts.translated(() -> access.read(key));
    V value =
        present == null && loader.onRead() ? CacheParts.translated(() -> bulk.load(key)) : present;
    counts.read(present == null ? 0 : 1, present == null ? 1 : 0, start);
    return value;
  }

  @Override
  public Map<K, V> getAll(Set<? extends K> keys) {
    checkKeys(keys);
    long start = AccessCounts.now();
    Map<K, V> found = new HashMap<>(read(keys));
    int hits = found.size();
    if (loader.onRead() && hits < keys.size()) {
      Set<K> missing = new HashSet<>(keys);
      missing.removeAll(found.keySet());
      found.putAll(CacheParts.translated(() -> bulk.loadAll(missing)));
    }
    counts.read(hits, keys.size() - hits, start);
    return found;
  }

  private Map<K, V> read(Set<? extends K> keys) {
    return CacheParts.translated(() -> bulk.read(keys));
  }

  @Override
  public boolean containsKey(K key) {
    checkKey(key);
    return CacheParts.translated(() -> entries.containsKey(key));
  }

  @Override
  public void loadAll(
      Set<? extends K> keys,
      boolean replaceExistingValues,
      @Nullable CompletionListener completionListener) {
    checkKeys(keys);
    if (!loader.exists()) {
      if (completionListener != null) {
        completionListener.onCompletion();
      }
      return;
    }
    Set<K> wanted = new HashSet<>(keys);
    manager
        .threads()
        .load(
            parts.loads().begin(() -> bulk.loadInto(wanted, replaceExistingValues)),
            completionListener);
  }

  @Override
  public void put(K key, V value) {
    checkEntry(key, value);
    long start = AccessCounts.now();
    if (access.isPlain()) {
      CacheParts.run(() -> entries.put(key, value));
      counts.put(1, start);
    } else {
      written(change(key, present -> EntryVerdict.put(value, null)), start);
    }
  }

  @Override
  public @Nullable V getAndPut(K key, V value) {
    checkEntry(key, value);
    return lookedAndChanged(key, present -> EntryVerdict.put(value, present));
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> map) {
    checkOpen();
    map.forEach(this::checkEntry);
    long start = AccessCounts.now();
    counts.put(CacheParts.translated(() -> bulk.put(map)), start);
  }

  @Override
  public boolean putIfAbsent(K key, V value) {
    checkEntry(key, value);
    return told(
        lookedAndChanged(
            key,
            present ->
                present == null ? EntryVerdict.put(value, true) : EntryVerdict.leave(false)));
  }

  @Override
  public boolean remove(K key) {
    checkKey(key);
    long start = AccessCounts.now();
    EntryOutcome<V, Void> outcome = change(key, present -> EntryVerdict.remove(null));
    written(outcome, start);
    return outcome.isRemoval();
  }

  @Override
  public boolean remove(K key, V oldValue) {
    checkEntry(key, oldValue);
    return told(
        lookedAndChanged(
            key,
            present ->
                oldValue.equals(present) ? EntryVerdict.remove(true) : EntryVerdict.access(false)));
  }

  @Override
  public @Nullable V getAndRemove(K key) {
    checkKey(key);
    return lookedAndChanged(key, EntryVerdict::remove);
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    checkEntry(key, oldValue);
    checkEntry(key, newValue);
    return told(
        lookedAndChanged(
            key,
            present ->
                oldValue.equals(present)
                    ? EntryVerdict.put(newValue, true)
                    : EntryVerdict.access(false)));
  }

  @Override
  public boolean replace(K key, V value) {
    checkEntry(key, value);
    return told(
        lookedAndChanged(
            key,
            present ->
                present == null ? EntryVerdict.leave(false) : EntryVerdict.put(value, true)));
  }

  @Override
  public @Nullable V getAndReplace(K key, V value) {
    checkEntry(key, value);
    return lookedAndChanged(
        key,
        present -> present == null ? EntryVerdict.leave(null) : EntryVerdict.put(value, present));
  }

  @Override
  public void removeAll(Set<? extends K> keys) {
    checkKeys(keys);
    long start = AccessCounts.now();
    counts.removed(CacheParts.translated(() -> bulk.remove(keys)), start);
  }

  @Override
  public void removeAll() {
    checkOpen();
    long start = AccessCounts.now();
    long removed =
        CacheParts.translated(
            () -> {
              long count = 0;
              try (CloseableIterator<K> keys = entries.stream().keys().iterator()) {
                Set<K> some = new HashSet<>();
                while (keys.hasNext()) {
                  some.add(keys.next());
                  if (some.size() == REMOVED_AT_ONCE) {
                    count += bulk.remove(some);
                    some.clear();
                  }
                }
                return count + bulk.remove(some);
              }
            });
    counts.removed(removed, start);
  }

  @Override
  public void clear() {
    checkOpen();
    CacheParts.run(entries::clear);
  }

  @Override
  public <C extends Configuration<K, V>> C getConfiguration(Class<C> type) {
    Configuration<K, V> configuration = parts.configuration();
    if (type.isInstance(configuration)) {
      return type.cast(configuration);
    }
    throw new IllegalArgumentException(
        "The configuration of a cache is no "
            + type.getName()
            + ": ask for javax.cache.configuration.CompleteConfiguration");
  }

  @Override
  public <T> @Nullable T invoke(
      K key, EntryProcessor<K, V, T> entryProcessor, @Nullable Object... arguments) {
    checkKey(key);
    Objects.requireNonNull(entryProcessor, "entryProcessor");
    PrimaryProcessors<K, V> primary = parts.processors(entryProcessor);
    if (primary != null) {
      long start = AccessCounts.now();
      PrimaryProcessors.Invoked<T> invoked =
          CacheParts.translated(() -> primary.run(key, entryProcessor, arguments));
      if (invoked != null) {
        counts.read(invoked.found() ? 1 : 0, invoked.found() ? 0 : 1, start);
        written(invoked.outcome(), start);
        return invoked.result();
      }
    }
    return lookedAndChanged(
        key,
        present -> {
          ProcessedEntry<K, V> entry = new ProcessedEntry<>(key, present, loader);
          return entry.verdict(process(entryProcessor, entry, arguments));
        });
  }

  private static <K, V, T> @Nullable T process(
      EntryProcessor<K, V, T> processor,
      ProcessedEntry<K, V> entry,
      @Nullable Object... arguments) {
    try {
      return processor.process(entry, arguments);
    } catch (CacheException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new EntryProcessorException("The entry processor has failed: " + e, e);
    }
  }

  @Override
  public <T> Map<K, EntryProcessorResult<T>> invokeAll(
      Set<? extends K> keys,
      EntryProcessor<K, V, T> entryProcessor,
      @Nullable Object... arguments) {
    checkKeys(keys);
    Objects.requireNonNull(entryProcessor, "entryProcessor");
    Map<K, EntryProcessorResult<T>> results = new HashMap<>();
    for (K key : keys) {
      try {
        T value = invoke(key, entryProcessor, arguments);
        if (value != null) {
          results.put(key, new ProcessorResult<>(value, null));
        }
      } catch (CacheException e) {
        results.put(key, new ProcessorResult<>(null, e));
      }
    }
    return results;
  }

  @Override
  public String getName() {
    return parts.name();
  }

  @Override
  public CacheManager getCacheManager() {
    return manager;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    manager.forget(this);
    parts.close();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    for (Object part : List.of(this, entries)) {
      if (type.isInstance(part)) {
        return type.cast(part);
      }
    }
    throw new IllegalArgumentException(
        "A cache is no " + type.getName() + ": it can be unwrapped to dev.headrace.api.Cache");
  }

  @Override
  public void registerCacheEntryListener(CacheEntryListenerConfiguration<K, V> configuration) {
    checkOpen();
    parts.register(configuration);
  }

  @Override
  public void deregisterCacheEntryListener(CacheEntryListenerConfiguration<K, V> configuration) {
    checkOpen();
    parts.deregister(Objects.requireNonNull(configuration, "configuration"));
  }

  @Override
  public Iterator<Cache.Entry<K, V>> iterator() {
    checkOpen();
    return new EntryIterator<>(
        CacheParts.translated(() -> entries.stream().entries().iterator()),
        entry -> {
          long start = AccessCounts.now();
          CacheParts.run(() -> access.touch(entry.getKey()));
          counts.read(1, 0, start);
        },
        this::remove);
  }

  /** Changes an entry, and counts whether the key was found and what was written. */
  private <R> @Nullable R lookedAndChanged(K key, EntryOperation<V, R> operation) {
    long start = AccessCounts.now();
    EntryOutcome<V, R> outcome = change(key, operation);
    boolean found = outcome.previous() != null;
    counts.read(found ? 1 : 0, found ? 0 : 1, start);
    written(outcome, start);
    return outcome.result();
  }

  private <R> EntryOutcome<V, R> change(K key, EntryOperation<V, R> operation) {
    return access.change(key, operation);
  }

  private void written(EntryOutcome<V, ?> outcome, long start) {
    counts.put(outcome.isPut() ? 1 : 0, start);
    counts.removed(outcome.isRemoval() ? 1 : 0, start);
  }

  private static boolean told(@Nullable Boolean result) {
    return Boolean.TRUE.equals(result);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("Cache " + getName() + " is closed");
    }
  }

  private void checkKey(K key) {
    checkOpen();
    parts.checkKey(key);
  }

  private void checkEntry(K key, V value) {
    checkKey(key);
    parts.checkValue(value);
  }

  private void checkKeys(Collection<? extends K> keys) {
    checkOpen();
    new ArrayList<>(keys).forEach(parts::checkKey);
  }
}
