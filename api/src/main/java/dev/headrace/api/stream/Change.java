package dev.headrace.api.stream;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One element of a stream of changes: what has become of one key, or of all keys of a range.
 *
 * <p>Whoever keeps a copy of a cache applies them in the order in which they come:
 *
 * <pre>{@code
 * change.applyTo(map);
 * }</pre>
 *
 * <p>Changes of one key come in the order in which they were made, and so do those of one segment;
 * those of different segments come in any order. Immutable.
 *
 * @param <K> the cache's keys
 * @param <V> the cache's values
 */
public sealed interface Change<K, V> {

  /** What has happened. */
  enum Kind {
    /**
     * The key has this value; how it got it is not told. It is part of the content with which the
     * stream begins, or of a range that was replaced.
     */
    PRESENT,
    /** The key was absent and has this value now. */
    CREATED,
    /** The key had another value, perhaps an expired one, or the same, and has this one now. */
    UPDATED,
    /** The key was removed. */
    REMOVED,
    /** The key's lifespan was over, and the node that orders its writes has removed it. */
    EXPIRED,
    /** All keys of a range were removed, because the cache was cleared. */
    CLEARED,
    /**
     * The stream has missed changes in a range. What was known of its keys counts no more: from
     * here on the range has exactly the entries that follow as {@link #PRESENT}, and the changes
     * after them.
     */
    REPLACED
  }

  /** What has happened. */
  Kind kind();

  /** The segment of the key, or of the range. */
  int segment();

  /**
   * Does to a map what was done to the cache.
   *
   * @param map keys and values as they were after the changes before this one
   */
  void applyTo(Map<? super K, ? super V> map);

  /**
   * A change of one key.
   *
   * @param kind {@link Kind#PRESENT}, {@code CREATED}, {@code UPDATED}, {@code REMOVED} or {@code
   *     EXPIRED}
   * @param value the new value; null if the key is absent now
   * @param previous the value before, if the stream tells it; null if it does not, if there was
   *     none, or if it is not known
   * @param version the write that made the change; of a removal the number that the removal has
   *     among the segment's writes
   */
  record OfKey<K, V>(
      Kind kind, int segment, K key, @Nullable V value, @Nullable V previous, EntryVersion version)
      implements Change<K, V> {

    @Override
    public void applyTo(Map<? super K, ? super V> map) {
      V present = value;
      if (present == null) {
        map.remove(key);
      } else {
        map.put(key, present);
      }
    }
  }

  /**
   * A change of all keys of a range: none of them has a value any more, unless later changes say
   * so.
   *
   * @param kind {@link Kind#CLEARED} or {@code REPLACED}
   * @param keys whether a key lies in the range
   */
  record OfRange<K, V>(Kind kind, int segment, Predicate<? super K> keys) implements Change<K, V> {

    /** Whether a key lies in the range. */
    public boolean covers(K key) {
      return keys.test(key);
    }

    /**
     * Removes the range's keys from a map.
     *
     * @throws ClassCastException if the map has keys of another type than the cache's
     */
    @Override
    @SuppressWarnings("unchecked") // The map has the keys of this cache.
    public void applyTo(Map<? super K, ? super V> map) {
      map.keySet().removeIf(key -> keys.test((K) key));
    }
  }
}
