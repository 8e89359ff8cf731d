package dev.headrace.jcache.event;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.stream.ChangeStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of one cache of one manager. If the stream that tells which entries have expired
 * fails, another one takes its place a second later; what expires in between is not told.
 * Thread-safe.
 */
public final class CacheListeners<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(CacheListeners.class);
  private static final long RETRY_SECONDS = 1;

  private final Cache<K, V> cache;
  private final Executor executor;
  private final dev.headrace.api.Cache<K, V> entries;
  private final boolean previousValues;
  private final List<ListenerRegistration<K, V>> registrations = new CopyOnWriteArrayList<>();

  /** Null while nobody wants to hear of expired entries. Guarded by this. */
  private @Nullable ExpiredChanges<K, V> expired;

  /** Why the stream has failed since an expired entry was told, so that it is logged once. */
  private volatile String failedBecause = "";

  /**
   * Without a listener.
   *
   * @param cache the source of events
   * @param entries tells which entries have expired
   * @param executor calls asynchronous listeners, one event after the other
   * @param previousValues whether the nodes retain the values of entries that expire
   */
  public CacheListeners(
      Cache<K, V> cache,
      dev.headrace.api.Cache<K, V> entries,
      Executor executor,
      boolean previousValues) {
    this.cache = cache;
    this.entries = entries;
    this.executor = executor;
    this.previousValues = previousValues;
  }

  /** Whether there is no listener. */
  public boolean isEmpty() {
    return registrations.isEmpty();
  }

  /** Adds a listener. */
  public synchronized void add(CacheEntryListenerConfiguration<K, V> configuration) {
    ListenerRegistration<K, V> registration = new ListenerRegistration<>(configuration);
    registrations.add(registration);
    if (registration.hears(EventType.EXPIRED) && expired == null) {
      expired = subscribe();
    }
  }

  private ExpiredChanges<K, V> subscribe() {
    ChangeStream<K, V> changes = entries.changes();
    return ExpiredChanges.subscribe(
        previousValues ? changes.withPrevious() : changes,
        new ExpiredChanges.Listener<K, V>() {
          @Override
          public void expired(K key, @Nullable V lastValue) {
            failedBecause = "";
            tellExpired(key, lastValue);
          }

          @Override
          public void failed(ExpiredChanges<K, V> subscription, Throwable why) {
            replaceSoon(subscription, why);
          }
        });
  }

  private synchronized void replaceSoon(ExpiredChanges<K, V> failed, Throwable why) {
    if (why instanceof NodeClosedException) {
      LOG.debug("The node of cache {} was closed", entries.name(), why);
      return;
    }
    if (!why.toString().equals(failedBecause)) {
      failedBecause = why.toString();
      LOG.warn(
          "Listeners of cache {} do not hear of entries that expire, until another stream of"
              + " changes takes the place of one that has failed",
          entries.name(),
          why);
    }
    CompletableFuture.delayedExecutor(RETRY_SECONDS, TimeUnit.SECONDS, executor)
        .execute(() -> replace(failed));
  }

  /** Unless nobody wants to hear of expired entries any more. */
  private synchronized void replace(ExpiredChanges<K, V> failed) {
    if (expired != failed) {
      return;
    }
    try {
      expired = subscribe();
    } catch (HeadraceException e) {
      replaceSoon(failed, e);
    }
  }

  /** Removes a listener, and closes it; without effect if it is not there. */
  public synchronized void remove(CacheEntryListenerConfiguration<K, V> configuration) {
    for (ListenerRegistration<K, V> registration : List.copyOf(registrations)) {
      if (registration.configuration().equals(configuration)) {
        registrations.remove(registration);
        registration.close();
      }
    }
    ExpiredChanges<K, V> subscription = expired;
    if (subscription != null
        && registrations.stream().noneMatch(each -> each.hears(EventType.EXPIRED))) {
      subscription.cancel();
      expired = null;
    }
  }

  /** Removes and closes all listeners. */
  public synchronized void close() {
    registrations.forEach(registration -> remove(registration.configuration()));
  }

  /** A key was absent and has a value now. */
  public void created(K key, V value) {
    tell(EventType.CREATED, key, value, null);
  }

  /** A key has another value, or the same again. */
  public void updated(K key, V oldValue, V value) {
    tell(EventType.UPDATED, key, value, oldValue);
  }

  /** A key was removed. */
  public void removed(K key, V oldValue) {
    tell(EventType.REMOVED, key, null, oldValue);
  }

  /** An operation has made an entry expire at once. */
  public void expired(K key, V oldValue) {
    tell(EventType.EXPIRED, key, null, oldValue);
  }

  /** Of several listeners that fail, the first one's exception is thrown when all were told. */
  private void tell(EventType type, K key, @Nullable V value, @Nullable V oldValue) {
    CacheEntryListenerException failure = null;
    for (ListenerRegistration<K, V> registration : registrations) {
      if (!registration.hears(type)) {
        continue;
      }
      if (!registration.isSynchronous()) {
        executor.execute(() -> registration.tellLogging(cache, type, key, value, oldValue));
        continue;
      }
      try {
        registration.tell(cache, type, key, value, oldValue);
      } catch (CacheEntryListenerException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void tellExpired(K key, @Nullable V oldValue) {
    for (ListenerRegistration<K, V> registration : registrations) {
      if (registration.hears(EventType.EXPIRED)) {
        registration.tellLogging(cache, EventType.EXPIRED, key, null, oldValue);
      }
    }
  }
}
