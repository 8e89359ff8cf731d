package dev.headrace.api;

import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.FunctionName;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * A distributed map. Keys and values are never null; they are encoded when a method is called, so
 * changing them afterwards changes nothing in the cache. Values are compared by their encoded
 * bytes.
 *
 * <p>Every method may be called from any thread and waits for its result; {@link #async()} has the
 * same methods without waiting. A write that has returned is held by all owners of its segment.
 *
 * <p>Names and results are those of JCache: {@code putIfAbsent}, {@code replace} and {@code remove}
 * tell whether they changed anything, {@code getAndPut}, {@code getAndReplace} and {@code
 * getAndRemove} which value was there before. {@code compute} and its relatives, which JCache does
 * not have, are those of {@link Map}, and return the value afterwards. {@link #asMap()} has all
 * names and results of {@code Map}.
 *
 * <p>An entry that is written without a lifespan has the one that the cache was opened with ({@link
 * CacheSettings#lifespan}), or stays for good. {@link #FOREVER} as a lifespan makes it stay in any
 * case. When the lifespan is over nobody sees the entry any more; it is deleted a little later.
 *
 * <p>Any method throws
 *
 * <ul>
 *   <li>{@link NullPointerException} for a null key, value, function, version or lifespan,
 *   <li>{@link ClassCastException} for a key or value of another type than the cache's, through an
 *       unchecked cast,
 *   <li>{@link IllegalArgumentException} for a lifespan that is zero or negative,
 *   <li>{@link dev.headrace.api.error.CodecException} if a codec fails, or the cache holds keys or
 *       values of another format; a write has not happened then,
 *   <li>{@link dev.headrace.api.error.EntryTooLargeException} for an entry above the size limit,
 *   <li>{@link dev.headrace.api.error.UnavailableException} if a key's segment has no living owner,
 *       or too few for a write, or if the node's part of the cluster must not go on alone: it has
 *       not happened,
 *   <li>{@link dev.headrace.api.error.NodeClosedException} after the node was closed,
 * </ul>
 *
 * <p>and one that writes, also
 *
 * <ul>
 *   <li>{@link dev.headrace.api.error.OutcomeUnknownException} if its outcome is not known in time:
 *       it may or may not have happened,
 *   <li>{@link dev.headrace.api.error.MemoryFullException} if an owner has no room for the entry,
 *   <li>{@link dev.headrace.api.error.TooManyCachesException} if nothing was ever written to the
 *       cache and the cluster has 4,096 others.
 * </ul>
 *
 * <p>Where a method names an exception below, it says more about it. A thread that is interrupted
 * while it waits gets an {@code OutcomeUnknownException} from a write, and a {@link
 * dev.headrace.api.error.HeadraceException} from a read; its interrupt flag stays set.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public interface Cache<K, V> extends Iterable<Map.Entry<K, V>> {

  /** A lifespan without end, also where {@link CacheSettings#lifespan} would give one. */
  Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** The cache's name in the cluster. */
  String name();

  /**
   * The same operations without waiting.
   *
   * @return a view of this cache; it is always the same
   */
  AsyncCache<K, V> async();

  /**
   * The value of a key. It is read from this node if it owns the key's segment, else from another
   * owner.
   *
   * @return the value, or null if the key is absent
   */
  @Nullable V get(K key);

  /**
   * The entry of a key with its version and expiry. It costs what {@link #get} costs.
   *
   * @return the entry, or null if the key is absent
   */
  @Nullable CacheEntry<K, V> getEntry(K key);

  /**
   * The entries of those keys that are present.
   *
   * <p>Every node is asked once for all the keys that it owns, in messages of limited size, however
   * many keys there are. Each key is read as {@link #get} would read it, at some moment during the
   * call; all together are not a snapshot. A null key, one of another type or one that is too large
   * fails before anything is asked. If a key cannot be read, the method throws what {@link #get} of
   * that key throws, and there is no result for the others; the time-out is that of each key.
   *
   * @param keys one that is given twice is in the result once
   * @return a map of its own, in no order
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * Whether a key is present. The value does not travel.
   *
   * @return true if it is
   */
  boolean containsKey(K key);

  /** Sets the value of a key, whatever is there. */
  void put(K key, V value);

  /**
   * Sets the value of a key, whatever is there, for a time only.
   *
   * @param lifespan how long the entry is present, from now on
   */
  void put(K key, V value, Duration lifespan);

  /**
   * Sets all entries; each is atomic, all together are not. They are written in no order, some
   * thousands or some megabytes at a time; what is for one node leaves together.
   *
   * <p>If one entry cannot be written, no more are begun, and when those under way have ended the
   * method throws what {@link #put} of the one that failed throws: any of the others may have been
   * written. Nothing is written if there is a null key or value.
   *
   * @param entries must not change before the method returns
   */
  void putAll(Map<? extends K, ? extends V> entries);

  /**
   * Sets the value of a key and tells the one before. Prefer {@link #put(Object, Object)} where
   * that is not needed: here it has to travel.
   *
   * @return the value before, or null if the key was absent
   */
  @Nullable V getAndPut(K key, V value);

  /**
   * Sets the value of a key that is absent.
   *
   * @return whether it was set; false if the key is present, and nothing has changed
   */
  boolean putIfAbsent(K key, V value);

  /**
   * Sets the value of a key that is absent, for a time only.
   *
   * @param lifespan how long the entry is present, from now on
   * @return whether it was set; false if the key is present, and nothing has changed
   */
  boolean putIfAbsent(K key, V value, Duration lifespan);

  /**
   * Sets the value of a key that is present.
   *
   * @return whether it was set; false if the key is absent
   */
  boolean replace(K key, V value);

  /**
   * Sets the value of a key if the present one is as expected.
   *
   * @param expected is compared by its encoded bytes
   * @return whether it was set; false if the key is absent or has another value
   */
  boolean replace(K key, V expected, V value);

  /**
   * Sets the value of a key that is present, and tells the one before.
   *
   * @return the value before, or null if the key is absent and nothing was set
   */
  @Nullable V getAndReplace(K key, V value);

  /**
   * Sets the value of a key if its entry still comes from the write that it came from when it was
   * {@linkplain #getEntry read}. Unlike {@link #replace(Object, Object, Object)} it sends no value
   * to compare with, and notices a value that was changed and changed back.
   *
   * @param version of the entry as it was read
   * @return whether it was set; false if the key is absent or has another version
   */
  boolean replaceIfVersion(K key, EntryVersion version, V value);

  /**
   * As {@link #replaceIfVersion(Object, EntryVersion, Object)}, for a time only.
   *
   * @param version of the entry as it was read
   * @param lifespan how long the entry is present, from now on
   * @return whether it was set; false if the key is absent or has another version
   */
  boolean replaceIfVersion(K key, EntryVersion version, V value, Duration lifespan);

  /**
   * Removes a key.
   *
   * @return whether it was present
   */
  boolean remove(K key);

  /**
   * Removes a key if its value is as expected.
   *
   * @param expected is compared by its encoded bytes
   * @return whether it was removed; false if the key is absent or has another value
   */
  boolean remove(K key, V expected);

  /**
   * Removes a key if its entry still comes from the write that it came from when it was {@linkplain
   * #getEntry read}.
   *
   * @param version of the entry as it was read
   * @return whether it was removed; false if the key is absent or has another version
   */
  boolean removeIfVersion(K key, EntryVersion version);

  /**
   * Removes a key and tells its value.
   *
   * @return the value before, or null if the key was absent
   */
  @Nullable V getAndRemove(K key);

  /**
   * Removes keys; one that is absent is passed over. Each removal is atomic, all together are not;
   * they go the way of {@link #putAll}. If one fails, the method throws what {@link
   * #remove(Object)} of that key throws, and any of the others may have been removed. Nothing is
   * removed if a key is null.
   *
   * @param keys are copied before anything is removed
   */
  void removeAll(Collection<? extends K> keys);

  /**
   * Computes a key's value from the present one. The function runs on the calling node, against the
   * version that it read, or that the computation before it in the queue has left; if another write
   * came between, it runs again, so it must have no side effects. Only what it makes of the present
   * value counts.
   *
   * <p>An entry that is there keeps what is left of its lifespan; one that is new has that of the
   * cache ({@link CacheSettings#lifespan}).
   *
   * <p>Computations of one key queue, on their node and between nodes, so that each has its turn. A
   * function that itself computes on caches may wait for one that waits for it, until the time of
   * one of them is up.
   *
   * @param function is given the key and its value, or null if it is absent; returns the new value,
   *     or null to remove the key. What it throws, the method throws, and nothing is written
   * @return the new value, or null if the key is absent now
   * @throws dev.headrace.api.error.UnavailableException also if its turn has not come within {@code
   *     operationTimeout}; nothing was written then
   */
  @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /**
   * As {@link #compute(Object, BiFunction)}; what it writes is present for a time only.
   *
   * @param function as there
   * @param lifespan how long the entry is present from when it is written, whatever it had left
   * @return the new value, or null if the key is absent now
   */
  @Nullable V compute(
      K key,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      Duration lifespan);

  /**
   * As {@link #compute(Object, BiFunction)}, only for an absent key.
   *
   * @param function is given the key; returns its value, or null to leave it absent. It does not
   *     run if the key is present
   * @return the value that is there now, present before or computed, or null if there is none
   */
  @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function);

  /**
   * As {@link #computeIfAbsent(Object, Function)}; what it writes is present for a time only.
   *
   * @param function as there
   * @param lifespan how long the entry is present from when it is written
   * @return the value that is there now, present before or computed, or null if there is none
   */
  @Nullable V computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function, Duration lifespan);

  /**
   * As {@link #compute(Object, BiFunction)}, only for a present key.
   *
   * @param function is given the key and its value; returns the new one, or null to remove the key.
   *     It does not run if the key is absent
   * @return the new value, or null if the key is absent now
   */
  @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /**
   * As {@link #computeIfPresent(Object, BiFunction)}; what it writes is present for a time only.
   *
   * @param function as there
   * @param lifespan how long the entry is present from when it is written, whatever it had left
   * @return the new value, or null if the key is absent now
   */
  @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function, Duration lifespan);

  /**
   * Changes a key's entry by a function that the nodes know by its name ({@link
   * dev.headrace.api.stream.operator.NodeFunctions#process}). It runs on the primary of the key's
   * segment: neither the value nor the code travels, only the argument and the result, on one way
   * there and back. If another write comes in between, it runs again there; what it has decided
   * takes effect exactly once, and whoever asks again after a crash gets the same result.
   *
   * <p>Calls for one key run one after the other. While a processor runs, other operations go on,
   * also for its key.
   *
   * @param argument encoded when the method is called
   * @return the result of the processor; null if it has none
   * @throws dev.headrace.api.error.FunctionMissingException if the primary does not know the
   *     function, or not so; the entry is as it was
   * @throws dev.headrace.api.error.FunctionFailedException if the function has thrown, or what it
   *     returned cannot be encoded; the entry is as it was
   * @throws dev.headrace.api.error.EntryTooLargeException if the new entry is too large; the entry
   *     is as it was
   */
  <A, R> @Nullable R process(K key, FunctionName<A, R> processor, A argument);

  /**
   * As {@link #compute(Object, BiFunction)}: sets a value if the key is absent, else combines the
   * present one with it.
   *
   * @param value for an absent key
   * @param function is given the present value and {@code value}; returns the new one, or null to
   *     remove the key. It does not run if the key is absent
   * @return the new value, or null if the key was removed
   */
  @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /**
   * As {@link #merge(Object, Object, BiFunction)}; what it writes is present for a time only.
   *
   * @param value for an absent key
   * @param function as there
   * @param lifespan how long the entry is present from when it is written, whatever it had left
   * @return the new value, or null if the key was removed
   */
  @Nullable V merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends @Nullable V> function,
      Duration lifespan);

  /**
   * Counts the entries: a message to each node, which looks at entries only where some expire.
   * {@link Headrace#caches} counts all caches, and may be a little off while segments move.
   *
   * @return the sum of what the segments' owners counted at one moment each; entries that have
   *     expired do not count
   */
  long size();

  /**
   * Removes all entries, segment by segment. If a segment cannot be emptied the method throws, and
   * others may be empty already.
   */
  void clear();

  /**
   * The cache as a map, with the names and results of {@link Map}.
   *
   * @return a live view, whose iterators pull like {@link #iterator()}. What {@code values()} and
   *     {@code entrySet()} remove one by one still has the value that was seen; {@code setValue} of
   *     an entry sets it whatever it is by then
   */
  ConcurrentMap<K, V> asMap();

  /**
   * Prepares a stream over the whole content; nothing happens before it is subscribed to.
   *
   * @return a stream with default settings
   */
  CacheStream<K, V> stream();

  /**
   * Prepares loading from a stream; nothing happens before its subscriber is subscribed.
   *
   * @return a sink with default settings
   */
  CacheSink<K, V> sink();

  /**
   * Writes all entries of a source at the pace of the cluster, with default settings: {@code
   * sink().load(entries)}.
   *
   * @return completed with the report when everything was written
   */
  default CompletableFuture<IngestReport> load(Publisher<? extends Map.Entry<K, V>> entries) {
    return sink().load(entries);
  }

  /**
   * Writes all values of a source under keys that are made for them, with default settings: {@code
   * sink().append(values)}.
   *
   * @return completed with the report when everything was written
   */
  default CompletableFuture<IngestReport> append(Publisher<? extends V> values) {
    return sink().append(values);
  }

  /**
   * Prepares a stream of changes, with the content before them or without; nothing happens before
   * it is subscribed to.
   *
   * @return a stream of all changes from now on
   */
  ChangeStream<K, V> changes();

  /**
   * An iterator over the whole content with default settings, exactly once.
   *
   * @return to be closed if it is not read to its end; it throws a {@link
   *     dev.headrace.api.error.StreamInterruptedException} where it cannot go on
   */
  @Override
  default CloseableIterator<Map.Entry<K, V>> iterator() {
    return stream().entries().iterator();
  }
}
