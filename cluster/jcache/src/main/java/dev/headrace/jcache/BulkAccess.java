package dev.headrace.jcache;

import dev.headrace.api.Cache;
import dev.headrace.jcache.entry.EntryAccess;
import dev.headrace.jcache.entry.EntryVerdict;
import dev.headrace.jcache.entry.KeyLocks;
import dev.headrace.jcache.entry.LoadThrough;
import dev.headrace.jcache.entry.PlainEntry;
import dev.headrace.jcache.entry.WriteThrough;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.cache.integration.CacheWriterException;
import org.jspecify.annotations.Nullable;

/**
 * Operations on several keys: atomic for each, not for all together. Loaders and writers are called
 * once for all keys, while all of them are held. Thread-safe.
 */
final class BulkAccess<K, V> {
  private final Cache<K, V> entries;
  private final EntryAccess<K, V> access;
  private final LoadThrough<K, V> loader;
  private final WriteThrough<K, V> writer;
  private final KeyLocks locks;

  BulkAccess(
      Cache<K, V> entries,
      EntryAccess<K, V> access,
      LoadThrough<K, V> loader,
      WriteThrough<K, V> writer,
      KeyLocks locks) {
    this.entries = entries;
    this.access = access;
    this.loader = loader;
    this.writer = writer;
    this.locks = locks;
  }

  /** Reads those keys that are present, without loading the others. */
  Map<K, V> read(Set<? extends K> keys) {
    Map<K, V> present = entries.getAll(keys);
    present.keySet().forEach(access::touch);
    return present;
  }

  /** Loads an absent key; another thread may have done so meanwhile. */
  @Nullable V load(K key) {
    try (KeyLocks.Held held = locks.hold(key)) {
      V present = entries.get(key);
      if (present != null) {
        return present;
      }
      V loaded = loader.load(key);
      return loaded == null ? null : storeIfAbsent(key, loaded);
    }
  }

  /** Loads absent keys; other threads may have done so meanwhile. */
  Map<K, V> loadAll(Collection<K> keys) {
    try (KeyLocks.Held held = locks.holdAll(keys)) {
      Map<K, V> found = new HashMap<>(entries.getAll(keys));
      Set<K> missing = new HashSet<>(keys);
      missing.removeAll(found.keySet());
      loader.loadAll(missing).forEach((key, value) -> found.put(key, storeIfAbsent(key, value)));
      return found;
    }
  }

  /** Keeps the value that another node has set meanwhile. */
  private V storeIfAbsent(K key, V loaded) {
    V result =
        access
            .<V>change(
                key,
                present ->
                    present == null
                        ? EntryVerdict.store(loaded, loaded)
                        : EntryVerdict.leave(present))
            .result();
    return result == null ? loaded : result;
  }

  /**
   * Loads keys into the cache.
   *
   * @param replacing whether those that are present are loaded, too
   */
  void loadInto(Set<? extends K> keys, boolean replacing) {
    Set<K> wanted = new HashSet<>(keys);
    if (!replacing) {
      loadAll(wanted);
      return;
    }
    try (KeyLocks.Held held = locks.holdAll(wanted)) {
      loader
          .loadAll(wanted)
          .forEach((key, value) -> access.change(key, present -> EntryVerdict.store(value, null)));
    }
  }

  /**
   * Sets entries. If the writer refuses some, the others are set, and it is told why.
   *
   * @return how many were set
   */
  long put(Map<? extends K, ? extends V> all) {
    if (access.isPlain()) {
      entries.putAll(all);
      return all.size();
    }
    if (!writer.exists()) {
      return store(all);
    }
    try (KeyLocks.Held held = locks.holdAll(all.keySet())) {
      List<javax.cache.Cache.Entry<? extends K, ? extends V>> left = new ArrayList<>();
      all.forEach((key, value) -> left.add(new PlainEntry<>(key, value)));
      CacheWriterException failure = writer.writeAll(left);
      Map<K, V> written = new HashMap<>(all);
      left.forEach(entry -> written.remove(entry.getKey()));
      long count = store(written);
      if (failure != null) {
        throw failure;
      }
      return count;
    }
  }

  private long store(Map<? extends K, ? extends V> all) {
    long count = 0;
    for (Map.Entry<? extends K, ? extends V> entry : all.entrySet()) {
      V value = entry.getValue();
      if (access.change(entry.getKey(), present -> EntryVerdict.store(value, null)).isPut()) {
        count++;
      }
    }
    return count;
  }

  /**
   * Removes keys. If the writer refuses some, the others are removed, and it is told why.
   *
   * @return how many were there
   */
  long remove(Set<? extends K> keys) {
    if (keys.isEmpty()) {
      return 0;
    }
    try (KeyLocks.Held held = locks.holdAll(keys)) {
      List<K> left = new ArrayList<>(keys);
      CacheWriterException failure = writer.deleteAll(left);
      Set<K> deleted = new HashSet<>(keys);
      left.forEach(deleted::remove);
      long count = 0;
      for (K key : deleted) {
        if (access.change(key, present -> EntryVerdict.drop(null)).isRemoval()) {
          count++;
        }
      }
      if (failure != null) {
        throw failure;
      }
      return count;
    }
  }
}
