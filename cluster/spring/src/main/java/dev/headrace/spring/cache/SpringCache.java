package dev.headrace.spring.cache;

import dev.headrace.api.Cache;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * A cache of a node as Spring's cache abstraction has it. Every write is held by all owners of its
 * segment when its method returns. Thread-safe.
 *
 * <p>{@code get} and {@code retrieve} with a loader load a missing value once on this node, however
 * many callers want it; another node may load it at the same time. Those who did not begin the
 * loading wait for it for 30 seconds, then get a {@code ValueRetrievalException}: loaders that want
 * each other's keys would wait without end.
 *
 * <p>What was loaded is stored if the key is still absent; else all get what is there. If this node
 * evicts the key or clears the cache meanwhile, they get what was loaded, and it is not stored. A
 * removal by another node, or one past this class, is not noticed by a load.
 *
 * <p>Methods throw what those of {@link Cache} throw. Futures are completed on the common pool of
 * the JDK, where those who use them may block.
 */
public final class SpringCache extends AbstractValueAdaptingCache {
  /** How long the load of another caller is waited for. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Cache<Object, Object> cache;
  private final Duration patience;

  /** What is being loaded now, by keys. */
  private final Map<Object, Load> loads = new ConcurrentHashMap<>();

  /** How far a load is. */
  private enum Phase {
    LOADING,
    STORING,
    /** Its key was evicted before it was stored, so it must not be. */
    DROPPED
  }

  /**
   * A value that is being loaded.
   *
   * @param stored completed with the value as it is stored, which is not null
   * @param phase leaves {@code LOADING} once
   * @param thread loads it and waits meanwhile; null if none does
   */
  private record Load(
      CompletableFuture<Object> stored, AtomicReference<Phase> phase, @Nullable Thread thread) {
    static Load by(@Nullable Thread thread) {
      return new Load(new CompletableFuture<>(), new AtomicReference<>(Phase.LOADING), thread);
    }

    boolean leavesLoadingFor(Phase next) {
      return phase.compareAndSet(Phase.LOADING, next);
    }
  }

  /**
   * A cache.
   *
   * @param cache holds {@code NullValue.INSTANCE} for null
   * @param holdsNull whether null is taken
   * @param patience how long the load of another caller is waited for
   */
  SpringCache(Cache<Object, Object> cache, boolean holdsNull, Duration patience) {
    super(holdsNull);
    this.cache = cache;
    this.patience = patience;
  }

  @Override
  public String getName() {
    return cache.name();
  }

  /** The {@link Cache}; its values are as they are stored, with {@code NullValue} for null. */
  @Override
  public Cache<Object, Object> getNativeCache() {
    return cache;
  }

  @Override
  protected @Nullable Object lookup(Object key) {
    return cache.get(key);
  }

  // ---- Loading

  /**
   * The value of a key, loaded by this thread if it is missing and no other thread of this node
   * loads it.
   *
   * @throws ValueRetrievalException if the loader throws, to all who wait for it; if another caller
   *     has been loading the value for too long, to those who have waited so long
   * @throws IllegalStateException if the loader asks for the same key
   */
  @Override
  @SuppressWarnings("unchecked") // the caller knows the type, as in the interface
  public <T> @Nullable T get(Object key, Callable<T> loader) {
    Object present = cache.get(key);
    return (T) fromStoreValue(present != null ? present : getOrLoad(key, loader));
  }

  private Object getOrLoad(Object key, Callable<?> loader) {
    Load mine = Load.by(Thread.currentThread());
    Load others = loads.putIfAbsent(key, mine);
    if (others != null) {
      return await(others, key, loader);
    }
    try {
      Object present = cache.get(key); // loaded since this caller looked
      Object stored = present != null ? present : load(key, loader, mine);
      mine.stored().complete(stored);
      return stored;
    } catch (RuntimeException | Error e) {
      mine.stored().completeExceptionally(e);
      throw e;
    } finally {
      loads.remove(key, mine);
    }
  }

  private Object load(Object key, Callable<?> loader, Load mine) {
    Object value;
    try {
      value = loader.call();
    } catch (Exception e) { // whatever it is, the interface wants it wrapped
      throw new ValueRetrievalException(key, loader, e);
    }
    Object loaded = toStoreValue(value);
    if (!mine.leavesLoadingFor(Phase.STORING) || cache.putIfAbsent(key, loaded)) {
      return loaded;
    }
    Object newer = cache.get(key);
    return newer != null ? newer : loaded; // if that has gone, too, nothing is stored
  }

  private Object await(Load others, Object key, Callable<?> loader) {
    if (others.thread() == Thread.currentThread()) {
      throw new IllegalStateException(
          "The loader of key "
              + key
              + " of cache \""
              + getName()
              + "\" asks for the same key, and would wait for itself: let it compute the value"
              + " without the cache");
    }
    try {
      return others.stored().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ValueRetrievalException(key, loader, e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof ValueRetrievalException failed) {
        throw new ValueRetrievalException(key, loader, failed.getCause());
      }
      throw new ValueRetrievalException(key, loader, cause);
    } catch (CancellationException e) {
      throw new ValueRetrievalException(key, loader, e);
    } catch (TimeoutException e) {
      throw new ValueRetrievalException(key, loader, tooLong(key, e));
    }
  }

  private IllegalStateException tooLong(Object key, Throwable cause) {
    return new IllegalStateException(
        "Another caller has been loading key "
            + key
            + " of cache \""
            + getName()
            + "\" for "
            + patience
            + ": look for a loader that does not return, or that asks the cache for its own key or"
            + " for one whose loader asks for this key, and let loaders compute values without the"
            + " cache",
        cause);
  }

  // ---- Without waiting

  /**
   * The value of a key.
   *
   * @return completed with null if the key is absent, else with a {@code ValueWrapper}
   */
  @Override
  public CompletableFuture<?> retrieve(Object key) {
    return cache.async().get(key).thenApplyAsync(this::toValueWrapper);
  }

  /**
   * The value of a key, loaded if it is missing and nobody on this node loads it.
   *
   * @param loader is called on the common pool of the JDK
   * @return fails with a {@code ValueRetrievalException} if another caller has been loading the
   *     value for too long; those who began the loading get what it gives, whenever it does
   */
  @Override
  @SuppressWarnings("unchecked") // the caller knows the type, as in the interface
  public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
    Load mine = Load.by(null);
    Load others = loads.putIfAbsent(key, mine);
    if (others == null) {
      begin(key, loader, mine);
    }
    CompletableFuture<Object> stored =
        others == null ? mine.stored() : inTime(others, key, loader::get);
    return (CompletableFuture<T>) stored.thenApplyAsync(this::fromStoreValue);
  }

  /** What another caller loads; its own future is left as it is when the time is up. */
  private CompletableFuture<Object> inTime(Load others, Object key, Callable<?> loader) {
    return others
        .stored()
        .copy()
        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            failure -> {
              if (failure instanceof CompletionException failed) { // so the copy tells a failure
                throw failed;
              }
              throw new ValueRetrievalException(key, loader, tooLong(key, failure));
            });
  }

  private <T> void begin(Object key, Supplier<CompletableFuture<T>> loader, Load mine) {
    CompletableFuture<@Nullable Object> found;
    try {
      found = cache.async().get(key);
    } catch (RuntimeException e) {
      found = CompletableFuture.failedFuture(e);
    }
    var unused =
        found
            .thenComposeAsync(
                present ->
                    present != null
                        ? CompletableFuture.completedFuture(present)
                        : loader.get().thenCompose(value -> store(key, value, mine)))
            .whenComplete((stored, failure) -> end(key, mine, stored, failure));
  }

  private CompletableFuture<Object> store(Object key, @Nullable Object value, Load mine) {
    Object loaded = toStoreValue(value);
    if (!mine.leavesLoadingFor(Phase.STORING)) {
      return CompletableFuture.completedFuture(loaded);
    }
    return cache
        .async()
        .putIfAbsent(key, loaded)
        .thenCompose(
            done -> done ? CompletableFuture.completedFuture(loaded) : presentOr(key, loaded));
  }

  private CompletableFuture<Object> presentOr(Object key, Object loaded) {
    return cache.async().get(key).thenApply(newer -> newer != null ? newer : loaded);
  }

  private void end(Object key, Load mine, @Nullable Object stored, @Nullable Throwable failure) {
    loads.remove(key, mine);
    if (stored != null) {
      mine.stored().complete(stored);
      return;
    }
    Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
    mine.stored()
        .completeExceptionally(cause == null ? new IllegalStateException("Nothing loaded") : cause);
  }

  // ---- Writes

  @Override
  public void put(Object key, @Nullable Object value) {
    cache.put(key, toStoreValue(value));
  }

  @Override
  public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
    Object stored = toStoreValue(value);
    Object present = null;
    while (present == null) { // again if the entry has gone between the two
      if (cache.putIfAbsent(key, stored)) {
        return null;
      }
      present = cache.get(key);
    }
    return toValueWrapper(present);
  }

  @Override
  public void evict(Object key) {
    var unused = evictIfPresent(key);
  }

  @Override
  public boolean evictIfPresent(Object key) {
    Load load = loads.get(key);
    if (load != null) {
      drop(key, load);
    }
    return cache.remove(key);
  }

  @Override
  public void clear() {
    loads.forEach(this::drop);
    cache.clear();
  }

  /** Keeps a load from being stored; one that is being stored is waited for, to be removed then. */
  private void drop(Object key, Load load) {
    if (load.leavesLoadingFor(Phase.DROPPED)) {
      loads.remove(key, load);
    } else if (load.phase().get() == Phase.STORING) {
      var unused =
          load.stored()
              .handle((stored, failure) -> true)
              .completeOnTimeout(false, patience.toMillis(), TimeUnit.MILLISECONDS)
              .join();
    }
  }
}
