package dev.headrace.jcache.event;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import javax.cache.Cache;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener as it was registered, with its filter. */
final class ListenerRegistration<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerRegistration.class);

  private final CacheEntryListenerConfiguration<K, V> configuration;
  private final CacheEntryListener<? super K, ? super V> listener;
  private final @Nullable CacheEntryEventFilter<? super K, ? super V> filter;

  /** Makes the listener and its filter. */
  ListenerRegistration(CacheEntryListenerConfiguration<K, V> configuration) {
    this.configuration = configuration;
    this.listener = configuration.getCacheEntryListenerFactory().create();
    Factory<CacheEntryEventFilter<? super K, ? super V>> filters =
        configuration.getCacheEntryEventFilterFactory();
    this.filter = filters == null ? null : filters.create();
  }

  CacheEntryListenerConfiguration<K, V> configuration() {
    return configuration;
  }

  boolean isSynchronous() {
    return configuration.isSynchronous();
  }

  /** Whether the listener wants to hear of an event of this type. */
  boolean hears(EventType type) {
    return switch (type) {
      case CREATED -> listener instanceof CacheEntryCreatedListener;
      case UPDATED -> listener instanceof CacheEntryUpdatedListener;
      case REMOVED -> listener instanceof CacheEntryRemovedListener;
      case EXPIRED -> listener instanceof CacheEntryExpiredListener;
    };
  }

  /**
   * Tells the listener, if its filter lets the event pass.
   *
   * @param value the value afterwards; null if the entry is gone
   * @param oldValue the value before; null if there was none or it is not known
   * @throws CacheEntryListenerException if the listener or the filter throws
   */
  void tell(Cache<K, V> cache, EventType type, K key, @Nullable V value, @Nullable V oldValue) {
    V shownOld = configuration.isOldValueRequired() ? oldValue : null;
    // Of an entry that is gone the event's value is the old one.
    V shown = value == null ? shownOld : value;
    CacheEntryEvent<K, V> event = new EntryEvent<>(cache, type, key, shown, shownOld);
    try {
      if (filter == null || filter.evaluate(event)) {
        call(type, event);
      }
    } catch (CacheEntryListenerException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CacheEntryListenerException("A listener has failed at " + event, e);
    }
  }

  /** As {@link #tell}, where nobody waits for the outcome. */
  void tellLogging(
      Cache<K, V> cache, EventType type, K key, @Nullable V value, @Nullable V oldValue) {
    try {
      tell(cache, type, key, value, oldValue);
    } catch (CacheEntryListenerException e) {
      LOG.warn("A listener of cache {} has failed", cache.getName(), e);
    }
  }

  @SuppressWarnings("unchecked") // The listener is one of the cache's keys and values.
  private void call(EventType type, CacheEntryEvent<K, V> event) {
    List<CacheEntryEvent<? extends K, ? extends V>> events = List.of(event);
    switch (type) {
      case CREATED -> ((CacheEntryCreatedListener<K, V>) listener).onCreated(events);
      case UPDATED -> ((CacheEntryUpdatedListener<K, V>) listener).onUpdated(events);
      case REMOVED -> ((CacheEntryRemovedListener<K, V>) listener).onRemoved(events);
      case EXPIRED -> ((CacheEntryExpiredListener<K, V>) listener).onExpired(events);
    }
  }

  /** Closes the listener and its filter, if they can be closed. */
  void close() {
    close(listener);
    close(filter);
  }

  private static void close(@Nullable Object part) {
    if (part instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("A listener or filter could not be closed: {}", part, e);
      }
    }
  }
}
