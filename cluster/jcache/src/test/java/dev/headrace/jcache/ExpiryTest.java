package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheEntry;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ModifiedExpiryPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Expiry policies become lifespans of the cluster's entries. */
@Timeout(120)
final class ExpiryTest {
  private static final Duration SHORT = new Duration(TimeUnit.MILLISECONDS, 200);

  private TwoManagers managers;

  @BeforeEach
  void start() {
    managers = new TwoManagers();
  }

  @AfterEach
  void stop() {
    managers.close();
  }

  @Test
  void anEntryThatExpiresIsGoneEverywhereAndListenersOfBothHearOfIt() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Cache<String, Long> one =
        managers
            .one()
            .createCache(
                "numbers", numbers().setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(SHORT)));
    Cache<String, Long> other = numbers(managers.other());
    for (Cache<String, Long> cache : List.of(one, other)) {
      CacheEntryExpiredListener<String, Long> listener =
          events ->
              events.forEach(event -> heard.add(event.getKey() + " was " + event.getOldValue()));
      cache.registerCacheEntryListener(
          new MutableCacheEntryListenerConfiguration<>(() -> listener, null, true, true));
    }

    one.put("a", 1L);

    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("a was 1");
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("a was 1");
    assertThat(other.get("a")).isNull();
    assertThat(one.containsKey("a")).isFalse();
  }

  @Test
  void listenersHearOfExpiredEntriesAgainAfterOneThatCouldNotBeRead() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    Cache<String, Long> hearing = numbers(managers.one());
    CacheEntryExpiredListener<String, Long> listener =
        events -> events.forEach(event -> heard.add(event.getKey()));
    hearing.registerCacheEntryListener(
        new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, false));
    Cache<Object, Object> writing =
        managers
            .other()
            .createCache(
                "numbers",
                new MutableConfiguration<>()
                    .setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(SHORT)));
    writing.put("first", 1L); // which has to be readable
    writing.put("a", new OfAnotherProgram());
    writing.clear();

    int puts = 0;
    do {
      assertThat(puts++).as("entries that nobody heard of").isLessThan(60);
      writing.put("a", 1L);
    } while (!"a".equals(heard.poll(1, TimeUnit.SECONDS)));
  }

  /** A value of a class that caches of numbers do not read. */
  private static final class OfAnotherProgram implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void anUpdateOfACreatedEntryKeepsItsLifespan() {
    Cache<String, Long> cache =
        managers
            .one()
            .createCache(
                "numbers",
                numbers().setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_HOUR)));
    cache.put("a", 1L);
    Instant expiry = expiry(cache);

    cache.put("a", 2L);
    cache.invoke(
        "a",
        (entry, arguments) -> {
          entry.setValue(entry.getValue() + 1);
          return null;
        });

    assertThat(cache.get("a")).isEqualTo(3L);
    assertThat(expiry(cache)).isNotNull().isEqualTo(expiry);
  }

  @Test
  void anUpdateOfAModifiedEntryGivesItANewLifespan() {
    Cache<String, Long> cache =
        managers
            .one()
            .createCache(
                "numbers",
                numbers()
                    .setExpiryPolicyFactory(ModifiedExpiryPolicy.factoryOf(Duration.ONE_HOUR)));
    numbers(managers.other()).put("a", 1L);
    assertThat(expiry(cache)).as("of an entry of the other manager").isNull();

    cache.put("a", 2L);

    assertThat(expiry(cache)).isNotNull();
  }

  @Test
  void anAccessExtendsTheLifespan() {
    Cache<String, Long> cache =
        managers
            .one()
            .createCache(
                "numbers",
                numbers()
                    .setExpiryPolicyFactory(AccessedExpiryPolicy.factoryOf(Duration.ONE_HOUR)));
    cache.put("a", 1L);
    Instant before = expiry(cache);

    // The clock has milliseconds.
    while (expiry(cache).equals(before)) {
      assertThat(cache.get("a")).isEqualTo(1L);
    }

    assertThat(expiry(cache)).isAfter(before);
  }

  @Test
  void anAsynchronousListenerHearsEventsInOrder() throws Exception {
    BlockingQueue<CacheEntryEvent<? extends String, ? extends Long>> heard =
        new LinkedBlockingQueue<>();
    Cache<String, Long> cache = numbers(managers.one());
    CacheEntryUpdatedListener<String, Long> listener = events -> events.forEach(heard::add);
    MutableCacheEntryListenerConfiguration<String, Long> configuration =
        new MutableCacheEntryListenerConfiguration<>(
            () -> listener, () -> event -> event.getValue() % 2 == 0, false, false);
    cache.registerCacheEntryListener(configuration);

    for (long i = 0; i < 100; i++) {
      cache.put("a", i);
    }

    for (long i = 2; i < 100; i += 2) {
      CacheEntryEvent<? extends String, ? extends Long> event = heard.poll(60, TimeUnit.SECONDS);
      assertThat(event.getValue()).isEqualTo(i);
      assertThat(event.isOldValueAvailable()).isFalse();
      assertThat((Object) event.getSource()).isSameAs(cache);
    }
    cache.deregisterCacheEntryListener(configuration);
    cache.put("a", 200L);
    assertThat(heard).isEmpty();
  }

  @SuppressWarnings("unchecked") // It is the cache of these entries.
  private static Instant expiry(Cache<String, Long> cache) {
    CacheEntry<String, Long> entry =
        ((dev.headrace.api.Cache<String, Long>) cache.unwrap(dev.headrace.api.Cache.class))
            .getEntry("a");
    return entry.expiry();
  }
}
