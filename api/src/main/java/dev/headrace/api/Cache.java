package dev.headrace.api;

import dev.headrace.api.stream.CacheStream;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * A distributed map. Keys and values are never null; they are encoded when a method is called, so
 * changing them afterwards changes nothing in the cache.
 *
 * <p>Every method may be called from any thread and waits for its result; {@link #async()} has the
 * same methods without waiting. A method throws
 *
 * <ul>
 *   <li>{@link NullPointerException} for a null key, value, function or lifespan,
 *   <li>{@link ClassCastException} for a key or value of another type than the cache's, through an
 *       unchecked cast,
 *   <li>{@link IllegalArgumentException} for a lifespan that is zero or negative,
 *   <li>{@link dev.headrace.api.error.CodecException} if a codec fails, or the cache holds keys or
 *       values of another format; a write has not happened then,
 *   <li>{@link dev.headrace.api.error.EntryTooLargeException} for an entry above the size limit,
 *   <li>{@link dev.headrace.api.error.TooManyCachesException} if nothing was ever written to the
 *       cache and the cluster has 4,096 others,
 *   <li>{@link dev.headrace.api.error.OutcomeUnknownException} if a write's outcome is not known in
 *       time: it may or may not have happened,
 *   <li>{@link dev.headrace.api.error.UnavailableException} if a key's segment has no living owner,
 *       or too few for a write, or if the node's part of the cluster must not go on alone: it has
 *       not happened,
 *   <li>{@link dev.headrace.api.error.NodeClosedException} after the node was closed.
 * </ul>
 *
 * <p>Names and results are those of JCache: {@code putIfAbsent}, {@code replace} and {@code remove}
 * tell whether they changed anything, {@code getAndPut}, {@code getAndReplace} and {@code
 * getAndRemove} which value was there before. {@code compute} and its relatives, which JCache does
 * not have, are those of {@link Map}, and return the value afterwards. {@link #asMap()} has all
 * names and results of {@code Map}.
 *
 * <p>An entry that is written without a lifespan has the one that the cache was opened with ({@link
 * CacheSettings#lifespan}), or stays for good. {@link #FOREVER} as a lifespan makes it stay in any
 * case.
 *
 * <p>A write that has returned is held by all owners of its segment. Values are compared by their
 * encoded bytes.
 */
public interface Cache<K, V> extends Iterable<Map.Entry<K, V>> {

  /** A lifespan without end, also where {@link CacheSettings#lifespan} would give one. */
  Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** The cache's name. */
  String name();

  /** The same operations without waiting. */
  AsyncCache<K, V> async();

  /** The value of a key, or null. */
  @Nullable V get(K key);

  /** The entry of a key with its version and expiry, or null. It costs what {@link #get} costs. */
  @Nullable CacheEntry<K, V> getEntry(K key);

  /**
   * The entries of those keys that are present; a key that is given twice is there once.
   *
   * <p>Every node is asked once for all the keys that it owns, in messages of limited size, however
   * many keys there are. Each key is read as {@link #get} would read it, at some moment during the
   * call; all together are not a snapshot. A null key, one of another type or one that is too large
   * fails before anything is asked. If a key cannot be read, the method throws what {@link #get} of
   * that key throws, and there is no result for the others; the time-out is that of each key.
   *
   * @return a map of its own, in no order
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /** Whether a key is present. */
  boolean containsKey(K key);

  /** Sets a value. */
  void put(K key, V value);

  /** Sets a value that is present for a time only; {@code lifespan} must be positive. */
  void put(K key, V value, Duration lifespan);

  /**
   * Sets all entries; each is atomic, all together are not. They are written in no order, some
   * thousands or some megabytes at a time; what is for one node leaves together.
   *
   * <p>If one entry cannot be written, no more are begun, and when those under way have ended the
   * method throws what {@link #put} of the one that failed throws: any of the others may have been
   * written. Nothing is written if there is a null key or value.
   */
  void putAll(Map<? extends K, ? extends V> entries);

  /** Sets a value and returns the one before, or null. */
  @Nullable V getAndPut(K key, V value);

  /** Sets a value if the key is absent; returns whether it was. */
  boolean putIfAbsent(K key, V value);

  /** As {@link #putIfAbsent(Object, Object)}, with a lifespan. */
  boolean putIfAbsent(K key, V value, Duration lifespan);

  /** Sets a value if the key is present; returns whether it was. */
  boolean replace(K key, V value);

  /** Sets a value if the present one equals {@code expected}; returns whether it did. */
  boolean replace(K key, V expected, V value);

  /** Sets a value if the key is present; returns the one before, or null if there was none. */
  @Nullable V getAndReplace(K key, V value);

  /**
   * Sets a value if the present one still comes from the write that a {@linkplain #getEntry read}
   * entry came from; returns whether it did. Unlike {@link #replace(Object, Object, Object)} it
   * sends no value to compare with, and notices a value that was changed and changed back.
   */
  boolean replaceIfVersion(K key, EntryVersion version, V value);

  /** As {@link #replaceIfVersion(Object, EntryVersion, Object)}, with a lifespan. */
  boolean replaceIfVersion(K key, EntryVersion version, V value, Duration lifespan);

  /** Removes a key; returns whether it was present. */
  boolean remove(K key);

  /** Removes a key if its value equals {@code expected}; returns whether it did. */
  boolean remove(K key, V expected);

  /**
   * Removes a key if its value still comes from the write that a {@linkplain #getEntry read} entry
   * came from; returns whether it did.
   */
  boolean removeIfVersion(K key, EntryVersion version);

  /** Removes a key and returns its value, or null. */
  @Nullable V getAndRemove(K key);

  /**
   * Removes keys; one that is absent is passed over. Each removal is atomic, all together are not;
   * they go the way of {@link #putAll}. If one fails, the method throws what {@link
   * #remove(Object)} of that key throws, and any of the others may have been removed. Nothing is
   * removed if a key is null.
   */
  void removeAll(Collection<? extends K> keys);

  /**
   * Computes a key's value from the present one (null if absent); a null result removes it. The
   * function runs on the calling node, against the version that it read; if another write came
   * between, it runs again, so it must have no side effects.
   *
   * <p>An entry that is there keeps what is left of its lifespan; one that is new has that of the
   * cache ({@link CacheSettings#lifespan}).
   *
   * <p>Computations of one key queue, on their node and between nodes, so that each has its turn. A
   * function that itself computes on caches may wait for one that waits for it, until the time of
   * one of them is up.
   *
   * @return the new value, or null
   * @throws dev.headrace.api.error.UnavailableException also if its turn has not come within {@code
   *     operationTimeout}; nothing was written then
   */
  @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /**
   * As {@link #compute(Object, BiFunction)}; what it writes is present for a time only, which
   * begins when it is written.
   */
  @Nullable V compute(
      K key,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      Duration lifespan);

  /** As {@link #compute(Object, BiFunction)}, only for an absent key. */
  @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function);

  /** As {@link #computeIfAbsent(Object, Function)}, with a lifespan. */
  @Nullable V computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function, Duration lifespan);

  /** As {@link #compute(Object, BiFunction)}, only for a present key. */
  @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** As {@link #computeIfPresent(Object, BiFunction)}, with a lifespan from now on. */
  @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function, Duration lifespan);

  /**
   * As {@link #compute(Object, BiFunction)}: sets the value if absent, else combines the present
   * one with it.
   */
  @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /** As {@link #merge(Object, Object, BiFunction)}, with a lifespan from now on. */
  @Nullable V merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends @Nullable V> function,
      Duration lifespan);

  /**
   * Number of entries: the sum of what the primaries counted at one moment each. Entries that have
   * expired but are not yet deleted count.
   */
  long size();

  /** Removes all entries, segment by segment. */
  void clear();

  /**
   * A live view as a map, whose iterators pull like {@link #iterator()}. What {@code values()} and
   * {@code entrySet()} remove one by one still has the value that was seen; {@code setValue} of an
   * entry sets it whatever it is by then.
   */
  ConcurrentMap<K, V> asMap();

  /** Prepares a stream over the whole content; nothing happens before it is subscribed to. */
  CacheStream<K, V> stream();

  /** An iterator with default settings, exactly once; close it if it is not read to its end. */
  @Override
  default CloseableIterator<Map.Entry<K, V>> iterator() {
    return stream().entries().iterator();
  }
}
