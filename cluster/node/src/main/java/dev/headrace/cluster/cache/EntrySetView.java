package dev.headrace.cluster.cache;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map.Entry;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The live entries of a {@link MapView}, which are removed only as they were seen. */
final class EntrySetView<K, V> extends AbstractSet<Entry<K, V>> {
  private final MapView<K, V> map;
  private final CacheView<K, V> cache;

  EntrySetView(MapView<K, V> map, CacheView<K, V> cache) {
    this.map = map;
    this.cache = cache;
  }

  @Override
  public Iterator<Entry<K, V>> iterator() {
    return new RemovingIterator<Entry<K, V>, Entry<K, V>>(
        cache.iterator(), Settable::new, entry -> map.removeUnchanged(entry));
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public boolean contains(Object object) {
    return object instanceof Entry<?, ?> entry
        && entry.getKey() != null
        && entry.getValue() != null
        && entry.getValue().equals(map.get(entry.getKey()));
  }

  @Override
  public boolean remove(Object object) {
    return object instanceof Entry<?, ?> entry
        && entry.getKey() != null
        && map.remove(entry.getKey(), entry.getValue());
  }

  @Override
  public boolean removeIf(Predicate<? super Entry<K, V>> condition) {
    Objects.requireNonNull(condition, "condition");
    return MapView.removeIf(cache.iterator(), condition, map::removeUnchanged);
  }

  @Override
  public boolean removeAll(Collection<?> entries) {
    return MapView.removeEach(this, entries);
  }

  @Override
  public boolean retainAll(Collection<?> entries) {
    Objects.requireNonNull(entries, "entries");
    return removeIf(entry -> !entries.contains(entry));
  }

  @Override
  public void clear() {
    cache.clear();
  }

  /**
   * An entry as it was seen. Setting its value writes to the cache, whatever the value is by then.
   */
  private final class Settable implements Entry<K, V> {
    private final K key;
    private V value;

    Settable(Entry<K, V> seen) {
      this.key = seen.getKey();
      this.value = seen.getValue();
    }

    @Override
    public K getKey() {
      return key;
    }

    @Override
    public V getValue() {
      return value;
    }

    @Override
    public V setValue(V next) {
      cache.put(key, next);
      V before = value;
      value = next;
      return before;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Entry<?, ?> entry
          && key.equals(entry.getKey())
          && value.equals(entry.getValue());
    }

    @Override
    public int hashCode() {
      return key.hashCode() ^ value.hashCode();
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }
}
