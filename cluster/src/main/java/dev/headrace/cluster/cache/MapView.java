package dev.headrace.cluster.cache;

import dev.headrace.api.Cache;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * A cache as a live {@link ConcurrentMap}.
 *
 * <p>The map interface takes keys and values of any type; one that the codec does not take is
 * simply not there, as in any map. Iterators are pulled streams, exactly once; their {@code remove}
 * removes the key.
 */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
  private final Cache<K, V> cache;

  MapView(Cache<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, cache.size());
  }

  @Override
  public boolean isEmpty() {
    try (CloseableIterator<K> keys = cache.stream().keys().iterator()) {
      return !keys.hasNext();
    }
  }

  @Override
  public boolean containsKey(Object key) {
    return orAbsent(() -> cache.containsKey(key(key)), false);
  }

  @Override
  public @Nullable V get(Object key) {
    try {
      return cache.get(key(key));
    } catch (ClassCastException wrongType) {
      return null;
    }
  }

  @Override
  public V getOrDefault(Object key, V defaultValue) {
    V value = get(key);
    return value == null ? defaultValue : value;
  }

  @Override
  public @Nullable V put(K key, V value) {
    return cache.getAndPut(key, value);
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> entries) {
    cache.putAll(entries);
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    return cache.putIfAbsent(key, value);
  }

  @Override
  public @Nullable V remove(Object key) {
    try {
      return cache.getAndRemove(key(key));
    } catch (ClassCastException wrongType) {
      return null;
    }
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    Objects.requireNonNull(key, "key");
    return value != null && orAbsent(() -> cache.remove(key(key), value(value)), false);
  }

  @Override
  public @Nullable V replace(K key, V value) {
    return cache.replace(key, value);
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    return cache.replace(key, expected, value);
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return cache.compute(key, function);
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    return cache.computeIfAbsent(key, function);
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return cache.computeIfPresent(key, function);
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return cache.merge(key, value, function);
  }

  @Override
  public void clear() {
    cache.clear();
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new Entries();
  }

  @SuppressWarnings("unchecked") // a key of another type fails in the codec, which orAbsent handles
  private K key(Object key) {
    return (K) Objects.requireNonNull(key, "key");
  }

  @SuppressWarnings("unchecked")
  private V value(Object value) {
    return (V) value;
  }

  private static <R extends @Nullable Object> R orAbsent(
      java.util.function.Supplier<R> call, R absent) {
    try {
      return call.get();
    } catch (ClassCastException wrongType) {
      return absent;
    }
  }

  private final class Entries extends AbstractSet<Entry<K, V>> {
    @Override
    public Iterator<Entry<K, V>> iterator() {
      return new Removing<>(cache.iterator(), cache);
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean contains(Object object) {
      return object instanceof Entry<?, ?> entry
          && entry.getKey() != null
          && entry.getValue() != null
          && entry.getValue().equals(MapView.this.get(entry.getKey()));
    }

    @Override
    public boolean remove(Object object) {
      return object instanceof Entry<?, ?> entry
          && entry.getKey() != null
          && MapView.this.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
      cache.clear();
    }
  }

  /** An iterator that can also remove what it returned last. */
  private static final class Removing<K, V> implements Iterator<Entry<K, V>> {
    private final CloseableIterator<Entry<K, V>> entries;
    private final Cache<K, V> cache;
    private @Nullable K last;

    Removing(CloseableIterator<Entry<K, V>> entries, Cache<K, V> cache) {
      this.entries = entries;
      this.cache = cache;
    }

    @Override
    public boolean hasNext() {
      return entries.hasNext();
    }

    @Override
    public Entry<K, V> next() {
      Entry<K, V> next = entries.next();
      last = next.getKey();
      return next;
    }

    @Override
    public void remove() {
      K key = last;
      if (key == null) {
        throw new IllegalStateException("remove() needs a call of next() before it");
      }
      last = null;
      cache.remove(key);
    }
  }
}
