package dev.headrace.cluster.cache;

import dev.headrace.api.stream.CloseableIterator;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache as a live {@link ConcurrentMap}.
 *
 * <p>The map interface takes keys and values of any type; one that the codec does not accept is
 * absent, as in any map. Iterators are pulled streams, exactly once. {@link #values} and {@link
 * #entrySet} remove an entry only if it still has the value that was seen, {@link #keySet} whatever
 * its value.
 */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
  private final CacheView<K, V> cache;

  MapView(CacheView<K, V> cache) {
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
  public boolean equals(@Nullable Object other) {
    return other == this
        || (other instanceof Map<?, ?> map && map.size() == size() && isContainedIn(map));
  }

  private boolean isContainedIn(Map<?, ?> map) {
    try (CloseableIterator<Entry<K, V>> entries = cache.iterator()) {
      while (entries.hasNext()) {
        Entry<K, V> next = entries.next();
        if (!next.getValue().equals(map.get(next.getKey()))) {
          return false;
        }
      }
      return true;
    } catch (ClassCastException | NullPointerException unsuitable) {
      return false; // a map of other keys, or one that takes no such key
    }
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }

  @Override
  public boolean containsValue(Object value) {
    Objects.requireNonNull(value, "value");
    try (CloseableIterator<Entry<K, V>> entries = cache.iterator()) {
      while (entries.hasNext()) {
        if (entries.next().getValue().equals(value)) {
          return true;
        }
      }
    }
    return false;
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
    return cache.presentOrPut(key, value);
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
    return cache.getAndReplace(key, value);
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
  public Set<K> keySet() {
    return new Keys();
  }

  @Override
  public Collection<V> values() {
    return new Values();
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new EntrySetView<>(this, cache);
  }

  @SuppressWarnings("unchecked") // a key of another type fails in the codec, which orAbsent handles
  private K key(Object key) {
    return (K) Objects.requireNonNull(key, "key");
  }

  @SuppressWarnings("unchecked")
  private V value(Object value) {
    return (V) value;
  }

  private static <R extends @Nullable Object> R orAbsent(Supplier<R> call, R absent) {
    try {
      return call.get();
    } catch (ClassCastException wrongType) {
      return absent;
    }
  }

  /** Removes the entries that meet a condition. Returns whether any was removed. */
  static <E> boolean removeIf(
      CloseableIterator<E> all, Predicate<? super E> condition, Predicate<? super E> remove) {
    boolean removed = false;
    try (all) {
      while (all.hasNext()) {
        E next = all.next();
        removed |= condition.test(next) && remove.test(next);
      }
    }
    return removed;
  }

  /** Removes an entry if it still has the value that was seen. */
  boolean removeUnchanged(Entry<K, V> seen) {
    return cache.remove(seen.getKey(), seen.getValue());
  }

  /** Removes each of these elements. Returns whether any was there. */
  static boolean removeEach(Collection<?> from, Collection<?> elements) {
    boolean removed = false;
    for (Object element : elements) {
      removed |= from.remove(element);
    }
    return removed;
  }

  private final class Keys extends AbstractSet<K> {
    @Override
    public Iterator<K> iterator() {
      CloseableIterator<K> keys = cache.stream().keys().iterator();
      return new RemovingIterator<>(keys, key -> key, key -> cache.remove(key));
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return MapView.this.isEmpty();
    }

    @Override
    public boolean contains(Object key) {
      return MapView.this.containsKey(key);
    }

    @Override
    public boolean remove(Object key) {
      return orAbsent(() -> cache.remove(key(key)), false);
    }

    @Override
    public boolean removeIf(Predicate<? super K> condition) {
      Objects.requireNonNull(condition, "condition");
      return MapView.removeIf(cache.stream().keys().iterator(), condition, cache::remove);
    }

    @Override
    public boolean removeAll(Collection<?> keys) {
      return removeEach(this, keys);
    }

    @Override
    public boolean retainAll(Collection<?> keys) {
      Objects.requireNonNull(keys, "keys");
      return removeIf(key -> !keys.contains(key));
    }

    @Override
    public void clear() {
      cache.clear();
    }
  }

  private final class Values extends AbstractCollection<V> {
    @Override
    public Iterator<V> iterator() {
      Iterator<Entry<K, V>> entries = entrySet().iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return entries.hasNext();
        }

        @Override
        public V next() {
          return entries.next().getValue();
        }

        @Override
        public void remove() {
          entries.remove();
        }
      };
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return MapView.this.isEmpty();
    }

    @Override
    public boolean contains(Object value) {
      return MapView.this.containsValue(value);
    }

    /** Removes one entry with this value. Skips an entry whose value has changed meanwhile. */
    @Override
    public boolean remove(@Nullable Object value) {
      if (value == null) {
        return false;
      }
      try (CloseableIterator<Entry<K, V>> entries = cache.iterator()) {
        while (entries.hasNext()) {
          Entry<K, V> next = entries.next();
          if (next.getValue().equals(value) && removeUnchanged(next)) {
            return true;
          }
        }
      }
      return false;
    }

    @Override
    public boolean removeIf(Predicate<? super V> condition) {
      Objects.requireNonNull(condition, "condition");
      return MapView.removeIf(
          cache.iterator(),
          entry -> condition.test(entry.getValue()),
          MapView.this::removeUnchanged);
    }

    @Override
    public boolean removeAll(Collection<?> values) {
      Objects.requireNonNull(values, "values");
      return removeIf(values::contains);
    }

    @Override
    public boolean retainAll(Collection<?> values) {
      Objects.requireNonNull(values, "values");
      return removeIf(value -> !values.contains(value));
    }

    @Override
    public void clear() {
      cache.clear();
    }
  }
}
