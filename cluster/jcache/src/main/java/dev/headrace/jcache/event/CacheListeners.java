package dev.headrace.jcache.event;

import dev.headrace.api.stream.ChangeStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;

/** The listeners of one cache of one manager. Thread-safe. */
public final class CacheListeners<K, V> {
  private final Cache<K, V> cache;
  private final Executor executor;
  private final dev.headrace.api.Cache<K, V> entries;
  private final boolean previousValues;
  private final List<ListenerRegistration<K, V>> registrations = new CopyOnWriteArrayList<>();

  /** Null while nobody wants to hear of expired entries. Guarded by this. */
  private @Nullable ExpiredChanges<K, V> expired;

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
      ChangeStream<K, V> changes = entries.changes();
      expired =
          ExpiredChanges.subscribe(
              previousValues ? changes.withPrevious() : changes, this::tellExpired);
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
