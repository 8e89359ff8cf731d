package dev.headrace.api;

import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.FunctionName;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations of {@link Cache} without waiting: the same names and meanings. A future is
 * completed with what the method of {@code Cache} returns, or with the exception that it throws.
 *
 * <p>Arguments are checked and encoded by the calling thread: a {@link NullPointerException},
 * {@link ClassCastException}, {@link IllegalArgumentException}, {@link
 * dev.headrace.api.error.EntryTooLargeException} or {@link dev.headrace.api.error.CodecException}
 * of an argument is thrown at once. Everything else ends the returned future.
 *
 * <p>Calls for one key that are under way at the same time may take effect in any order, whoever
 * makes them: a call that is sent again because its segment moves may take effect after later ones.
 * Where the order matters, begin a write only when the one before it has ended ({@link
 * CompletableFuture#thenCompose}), or load through a {@link dev.headrace.api.ingest.CacheSink},
 * which keeps the order of each key.
 *
 * <p>Futures are completed, and functions run, on an executor of the node, which streams use too,
 * or on {@linkplain #executor one of your own}: do not block there. Cancelling a future, or
 * completing it, does not take back what was asked for. May be used from any thread.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public interface AsyncCache<K, V> {

  /**
   * The same operations with another executor: that of a server's event loop, for instance, where
   * the result is needed, so that no other thread has to wake up in between.
   *
   * @param executor completes futures, runs functions and decodes values. A task that it refuses,
   *     or would run on a thread of the node's network or timer, the node's executor runs instead;
   *     the future of one that it drops is never completed.
   * @return another view; this one stays as it is
   */
  AsyncCache<K, V> executor(Executor executor);

  /** See {@link Cache#get}. */
  CompletableFuture<@Nullable V> get(K key);

  /** See {@link Cache#getEntry}. */
  CompletableFuture<@Nullable CacheEntry<K, V>> getEntry(K key);

  /**
   * See {@link Cache#getAll}. Values are decoded on an executor of the node.
   *
   * @param keys are copied and encoded before this returns
   */
  CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys);

  /** See {@link Cache#containsKey}. */
  CompletableFuture<Boolean> containsKey(K key);

  /** See {@link Cache#put(Object, Object)}. */
  CompletableFuture<@Nullable Void> put(K key, V value);

  /** See {@link Cache#put(Object, Object, Duration)}. */
  CompletableFuture<@Nullable Void> put(K key, V value, Duration lifespan);

  /**
   * See {@link Cache#putAll}.
   *
   * @param entries are all encoded before this returns
   */
  CompletableFuture<@Nullable Void> putAll(Map<? extends K, ? extends V> entries);

  /** See {@link Cache#getAndPut}. */
  CompletableFuture<@Nullable V> getAndPut(K key, V value);

  /** See {@link Cache#putIfAbsent(Object, Object)}. */
  CompletableFuture<Boolean> putIfAbsent(K key, V value);

  /** See {@link Cache#putIfAbsent(Object, Object, Duration)}. */
  CompletableFuture<Boolean> putIfAbsent(K key, V value, Duration lifespan);

  /** See {@link Cache#replace(Object, Object)}. */
  CompletableFuture<Boolean> replace(K key, V value);

  /** See {@link Cache#getAndReplace}. */
  CompletableFuture<@Nullable V> getAndReplace(K key, V value);

  /** See {@link Cache#replace(Object, Object, Object)}. */
  CompletableFuture<Boolean> replace(K key, V expected, V value);

  /** See {@link Cache#replaceIfVersion(Object, EntryVersion, Object)}. */
  CompletableFuture<Boolean> replaceIfVersion(K key, EntryVersion version, V value);

  /** See {@link Cache#replaceIfVersion(Object, EntryVersion, Object, Duration)}. */
  CompletableFuture<Boolean> replaceIfVersion(
      K key, EntryVersion version, V value, Duration lifespan);

  /** See {@link Cache#remove(Object)}. */
  CompletableFuture<Boolean> remove(K key);

  /** See {@link Cache#remove(Object, Object)}. */
  CompletableFuture<Boolean> remove(K key, V expected);

  /** See {@link Cache#removeIfVersion}. */
  CompletableFuture<Boolean> removeIfVersion(K key, EntryVersion version);

  /** See {@link Cache#getAndRemove}. */
  CompletableFuture<@Nullable V> getAndRemove(K key);

  /**
   * See {@link Cache#removeAll}.
   *
   * @param keys are all encoded before this returns
   */
  CompletableFuture<@Nullable Void> removeAll(Collection<? extends K> keys);

  /**
   * See {@link Cache#compute(Object, BiFunction)}.
   *
   * @param function runs on an executor of the node: do not block there
   */
  CompletableFuture<@Nullable V> compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function);

  /** See {@link Cache#compute(Object, BiFunction, Duration)}. */
  CompletableFuture<@Nullable V> compute(
      K key,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      Duration lifespan);

  /** See {@link Cache#computeIfAbsent(Object, Function)}. */
  CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function);

  /** See {@link Cache#computeIfAbsent(Object, Function, Duration)}. */
  CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function, Duration lifespan);

  /** See {@link Cache#computeIfPresent(Object, BiFunction)}. */
  CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function);

  /** See {@link Cache#computeIfPresent(Object, BiFunction, Duration)}. */
  CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function, Duration lifespan);

  /** See {@link Cache#process}. */
  <A, R> CompletableFuture<@Nullable R> process(K key, FunctionName<A, R> processor, A argument);

  /** See {@link Cache#merge(Object, Object, BiFunction)}. */
  CompletableFuture<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function);

  /** See {@link Cache#merge(Object, Object, BiFunction, Duration)}. */
  CompletableFuture<@Nullable V> merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends @Nullable V> function,
      Duration lifespan);

  /** See {@link Cache#size}. */
  CompletableFuture<Long> size();

  /** See {@link Cache#clear}. */
  CompletableFuture<@Nullable Void> clear();
}
