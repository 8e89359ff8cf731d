package dev.headrace.jcache;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.jcache.codec.ObjectFilter;
import dev.headrace.jcache.entry.EntryAccess;
import dev.headrace.jcache.entry.KeyLocks;
import dev.headrace.jcache.entry.LoadThrough;
import dev.headrace.jcache.entry.PolicyLifespans;
import dev.headrace.jcache.entry.WriteThrough;
import dev.headrace.jcache.event.CacheListeners;
import dev.headrace.jcache.management.AccessCounts;
import dev.headrace.jcache.management.ConfigurationBean;
import dev.headrace.jcache.management.ManagedBean;
import dev.headrace.jcache.processor.PrimaryProcessors;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.processor.EntryProcessor;
import org.jspecify.annotations.Nullable;

/**
 * What belongs to one cache in one manager: its configuration, and what is made by its factories.
 * Thread-safe.
 */
final class CacheParts<K, V> {
  private final String name;
  private final PolicyLifespans lifespans;
  private final LoadThrough<K, V> loader;
  private final WriteThrough<K, V> writer;
  private final CacheListeners<K, V> listeners;
  private final EntryAccess<K, V> access;
  private final BulkAccess<K, V> bulk;
  private final PrimaryProcessors<K, V> processors;
  private final PendingLoads loads;
  private final AccessCounts counts = new AccessCounts();
  private final ManagedBean configurationBean;
  private final ManagedBean statisticsBean;
  private final Class<K> keyType;
  private final Class<V> valueType;

  /** Guarded by this. */
  private final MutableConfiguration<K, V> configuration;

  /**
   * How a cache is configured, and by whom.
   *
   * @param manager the URI of the manager
   * @param configuration of the cache alone
   * @param filter which classes may be read
   * @param events calls asynchronous listeners, one event after the other
   * @param node the settings of the manager's node
   */
  record Configured<K, V>(
      URI manager,
      String name,
      MutableConfiguration<K, V> configuration,
      ObjectFilter filter,
      Executor events,
      NodeSettings node) {}

  CacheParts(Cache<K, V> cache, dev.headrace.api.Cache<K, V> entries, Configured<K, V> configured) {
    this.name = configured.name();
    this.configuration = configured.configuration();
    this.keyType = configuration.getKeyType();
    this.valueType = configuration.getValueType();
    this.lifespans = new PolicyLifespans(configuration.getExpiryPolicyFactory().create());
    this.loader = loader(configuration);
    this.writer = writer(configuration);
    this.listeners =
        new CacheListeners<>(
            cache,
            entries,
            configured.events(),
            configured.node().retainedChanges().previousValues());
    KeyLocks locks = new KeyLocks(configured.node().operationTimeout());
    this.access = new EntryAccess<>(entries, lifespans, writer, listeners, locks);
    this.processors = new PrimaryProcessors<>(entries, configured.filter(), System::nanoTime);
    this.loads = new PendingLoads(name, configured.node().operationTimeout());
    this.bulk = new BulkAccess<>(entries, access, loader, writer, locks);
    this.configurationBean =
        new ManagedBean(
            new ConfigurationBean(this::configuration),
            "CacheConfiguration",
            configured.manager(),
            name);
    this.statisticsBean = new ManagedBean(counts, "CacheStatistics", configured.manager(), name);
    configuration.getCacheEntryListenerConfigurations().forEach(listeners::add);
    enableManagement(configuration.isManagementEnabled());
    enableStatistics(configuration.isStatisticsEnabled());
  }

  private static <K, V> LoadThrough<K, V> loader(CompleteConfiguration<K, V> configuration) {
    Factory<CacheLoader<K, V>> factory = configuration.getCacheLoaderFactory();
    return new LoadThrough<>(
        factory == null ? null : factory.create(), configuration.isReadThrough());
  }

  private static <K, V> WriteThrough<K, V> writer(CompleteConfiguration<K, V> configuration) {
    Factory<CacheWriter<? super K, ? super V>> factory = configuration.getCacheWriterFactory();
    return new WriteThrough<>(
        factory == null || !configuration.isWriteThrough() ? null : factory.create());
  }

  String name() {
    return name;
  }

  EntryAccess<K, V> access() {
    return access;
  }

  BulkAccess<K, V> bulk() {
    return bulk;
  }

  /**
   * Who runs a processor on the primary of its entry; null if the caller has to, because what is
   * done to an entry concerns somebody else in this manager.
   */
  @Nullable PrimaryProcessors<K, V> processors(EntryProcessor<K, V, ?> processor) {
    boolean plain = access.isPlain() && !loader.exists();
    return plain && processors.mayRun(processor) ? processors : null;
  }

  PendingLoads loads() {
    return loads;
  }

  LoadThrough<K, V> loader() {
    return loader;
  }

  AccessCounts counts() {
    return counts;
  }

  /** The present configuration, as a copy. */
  synchronized MutableConfiguration<K, V> configuration() {
    return new MutableConfiguration<>(configuration);
  }

  synchronized void register(CacheEntryListenerConfiguration<K, V> listener) {
    configuration.addCacheEntryListenerConfiguration(listener); // Refuses null, and one twice.
    listeners.add(listener);
  }

  synchronized void deregister(CacheEntryListenerConfiguration<K, V> listener) {
    configuration.removeCacheEntryListenerConfiguration(listener);
    listeners.remove(listener);
  }

  synchronized void enableManagement(boolean enabled) {
    configuration.setManagementEnabled(enabled);
    configurationBean.show(enabled);
  }

  synchronized void enableStatistics(boolean enabled) {
    configuration.setStatisticsEnabled(enabled);
    counts.enable(enabled);
    statisticsBean.show(enabled);
  }

  /** Waits for loads, closes what the factories made, and hides the beans. */
  void close() {
    loads.close();
    closeParts();
  }

  private synchronized void closeParts() {
    configurationBean.show(false);
    statisticsBean.show(false);
    listeners.close();
    loader.close();
    writer.close();
    lifespans.close();
  }

  /**
   * Checks a key.
   *
   * @throws ClassCastException if it is of another type than configured
   */
  void checkKey(K key) {
    Objects.requireNonNull(key, "key");
    if (!keyType.isInstance(key)) {
      throw wrongType("keys", keyType, key);
    }
  }

  /**
   * Checks a value.
   *
   * @throws ClassCastException if it is of another type than configured
   */
  void checkValue(V value) {
    Objects.requireNonNull(value, "value");
    if (!valueType.isInstance(value)) {
      throw wrongType("values", valueType, value);
    }
  }

  private ClassCastException wrongType(String what, Class<?> type, Object given) {
    return new ClassCastException(
        "Cache "
            + name
            + " was created for "
            + what
            + " of type "
            + type.getName()
            + ", but this is a "
            + given.getClass().getName());
  }

  /** As {@link #translated}, without a result. */
  static void run(Runnable action) {
    translated(
        () -> {
          action.run();
          return true;
        });
  }

  /** Runs an action, whose exceptions of the cluster become those of JCache. */
  static <T> T translated(Supplier<T> action) {
    try {
      return action.get();
    } catch (HeadraceException e) {
      throw new CacheException(e.getMessage(), e);
    }
  }
}
