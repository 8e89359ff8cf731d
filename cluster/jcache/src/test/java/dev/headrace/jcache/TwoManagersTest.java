package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Headrace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import javax.cache.processor.EntryProcessor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Managers over two nodes of one cluster share the entries of a cache. */
@Timeout(120)
final class TwoManagersTest {
  private static final Duration HOUR = Duration.ONE_HOUR;

  private static TwoManagers managers;

  @BeforeAll
  static void start() {
    managers = new TwoManagers();
  }

  @AfterAll
  static void stop() {
    managers.close();
  }

  @AfterEach
  void destroyCaches() {
    for (CacheManager manager : List.of(managers.one(), managers.other())) {
      manager.getCacheNames().forEach(manager::destroyCache);
    }
  }

  @Test
  void eachSeesWhatTheOtherWrites() {
    Cache<String, Long> one = numbers(managers.one());
    Cache<String, Long> other = numbers(managers.other());

    one.put("a", 1L);
    other.putAll(Map.of("b", 2L, "c", 3L));

    assertThat(other.get("a")).isEqualTo(1L);
    assertThat(one.getAll(Set.of("a", "b", "c", "d"))).isEqualTo(Map.of("a", 1L, "b", 2L, "c", 3L));
    Map<String, Long> seen = new HashMap<>();
    one.forEach(entry -> seen.put(entry.getKey(), entry.getValue()));
    assertThat(seen).isEqualTo(Map.of("a", 1L, "b", 2L, "c", 3L));
    assertThat(other.replace("a", 1L, 5L)).isTrue();
    assertThat(one.putIfAbsent("a", 6L)).isFalse();
    assertThat(one.getAndRemove("a")).isEqualTo(5L);
    assertThat(other.containsKey("a")).isFalse();
  }

  static List<Factory<? extends ExpiryPolicy>> policies() {
    return List.of(
        EternalExpiryPolicy.factoryOf(),
        CreatedExpiryPolicy.factoryOf(HOUR),
        TouchedExpiryPolicy.factoryOf(HOUR));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void entryProcessorsOfBothAreAtomic(Factory<? extends ExpiryPolicy> policy) throws Exception {
    List<Cache<String, Long>> caches =
        List.of(
            managers.one().createCache("numbers", numbers().setExpiryPolicyFactory(policy)),
            managers.other().createCache("numbers", numbers().setExpiryPolicyFactory(policy)));
    EntryProcessor<String, Long, Long> increment =
        (entry, arguments) -> {
          entry.setValue(entry.exists() ? entry.getValue() + 1 : 1);
          return entry.getValue();
        };
    Set<Long> results = ConcurrentHashMap.newKeySet();

    inThreads(
        4,
        thread -> {
          for (int i = 0; i < 100; i++) {
            results.add(caches.get(thread % 2).invoke("counter", increment));
          }
        });

    assertThat(caches.get(0).get("counter")).isEqualTo(400L);
    assertThat(results).as("each processor has seen another value").hasSize(400);
  }

  @Test
  void aMissingKeyIsLoadedOnceInAManagerHoweverManyAskForIt() throws Exception {
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch everybody = new CountDownLatch(8);
    CacheLoader<String, Long> loader =
        new CacheLoader<>() {
          @Override
          public Long load(String key) {
            loads.incrementAndGet();
            awaitQuietly(everybody);
            return (long) key.length();
          }

          @Override
          public Map<String, Long> loadAll(Iterable<? extends String> keys) {
            Map<String, Long> loaded = new HashMap<>();
            keys.forEach(key -> loaded.put(key, load(key)));
            return loaded;
          }
        };
    Cache<String, Long> one =
        managers
            .one()
            .createCache(
                "numbers", numbers().setReadThrough(true).setCacheLoaderFactory(() -> loader));
    Cache<String, Long> other = numbers(managers.other());

    inThreads(
        8,
        thread -> {
          everybody.countDown();
          assertThat(one.get("four")).isEqualTo(4L);
        });

    assertThat(loads).hasValue(1);
    assertThat(other.get("four")).isEqualTo(4L);
    assertThat(other.get("fifteen")).as("without a loader").isNull();
    assertThat(one.getAll(Set.of("four", "seventh", "ninth")))
        .isEqualTo(Map.of("four", 4L, "seventh", 7L, "ninth", 5L));
    assertThat(loads).hasValue(3);
  }

  @Test
  void whatTheWriterRefusesIsInNoCache() {
    List<String> written = Collections.synchronizedList(new ArrayList<>());
    CacheWriter<String, Long> writer =
        new CacheWriter<>() {
          @Override
          public void write(Cache.Entry<? extends String, ? extends Long> entry) {
            if (entry.getValue() < 0) {
              throw new IllegalStateException("overdrawn");
            }
            written.add(entry.getKey());
          }

          @Override
          public void writeAll(Collection<Cache.Entry<? extends String, ? extends Long>> entries) {
            List.copyOf(entries)
                .forEach(
                    entry -> {
                      write(entry);
                      entries.remove(entry);
                    });
          }

          @Override
          public void delete(Object key) {
            throw new CacheWriterException("not " + key);
          }

          @Override
          public void deleteAll(Collection<?> keys) {
            throw new CacheWriterException("none of " + keys);
          }
        };
    Cache<String, Long> one =
        managers
            .one()
            .createCache(
                "numbers", numbers().setWriteThrough(true).setCacheWriterFactory(() -> writer));
    Cache<String, Long> other = numbers(managers.other());

    one.put("rich", 10L);
    assertThatThrownBy(() -> one.put("poor", -1L))
        .isInstanceOf(CacheWriterException.class)
        .hasMessageContaining("overdrawn");
    assertThatThrownBy(
            () ->
                one.invoke(
                    "rich",
                    (entry, arguments) -> {
                      entry.setValue(-2L);
                      return null;
                    }))
        .isInstanceOf(CacheWriterException.class);
    assertThatThrownBy(() -> one.remove("rich")).hasMessage("not rich");
    assertThatThrownBy(() -> one.removeAll()).isInstanceOf(CacheWriterException.class);

    assertThat(other.get("rich")).isEqualTo(10L);
    assertThat(other.containsKey("poor")).isFalse();
    assertThat(written).containsExactly("rich");
  }

  @Test
  void aClosedCacheLeavesItsEntriesAndADestroyedOneDoesNot() {
    Cache<String, Long> one = numbers(managers.one());
    Cache<String, Long> other = numbers(managers.other());
    one.put("a", 1L);

    one.close();

    assertThatThrownBy(() -> one.get("a")).isInstanceOf(IllegalStateException.class);
    assertThat(managers.one().getCacheNames()).isEmpty();
    assertThat(other.get("a")).isEqualTo(1L);
    assertThat(numbers(managers.one()).get("a")).isEqualTo(1L);

    managers.one().destroyCache("numbers");

    assertThat(managers.other().unwrap(Headrace.class).caches().join().cache("numbers")).isEmpty();
    assertThat(other.isClosed()).isFalse();
    assertThat(other.get("a")).isNull();
  }

  @Test
  void aCacheThatNobodyHasWrittenToMayBeCreatedAnewWithOtherTypes() {
    try (TwoManagers unwritten = new TwoManagers()) {
      numbers(unwritten.one());
      unwritten.one().destroyCache("numbers");
      MutableConfiguration<Long, String> names =
          new MutableConfiguration<Long, String>().setTypes(Long.class, String.class);

      unwritten.one().createCache("numbers", names).put(1L, "a");

      assertThat(unwritten.other().createCache("numbers", names).get(1L)).isEqualTo("a");
    }
  }

  @Test
  void aManagerOverANodeOfTheProgramLeavesItRunning() {
    Headrace node = managers.other().unwrap(Headrace.class);
    HeadraceCachingProvider provider = new HeadraceCachingProvider();
    CacheManager third = provider.managerOver(node, getClass().getClassLoader());
    Cache<String, Long> cache = numbers(third);
    cache.put("a", 1L);

    provider.close();

    assertThat(third.isClosed()).isTrue();
    assertThat(cache.isClosed()).isTrue();
    assertThatThrownBy(third::getCacheNames).isInstanceOf(IllegalStateException.class);
    assertThat(numbers(managers.other()).get("a")).isEqualTo(1L);
  }

  @Test
  void aCacheIsFoundByItsTypesOnly() {
    numbers(managers.one()).put("a", 1L);

    assertThat(managers.one().getCache("numbers", String.class, Long.class).get("a")).isEqualTo(1L);
    assertThatThrownBy(() -> managers.one().getCache("numbers", String.class, Integer.class))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("java.lang.Long");
    assertThat(managers.other().<String, Long>getCache("numbers")).isNull();
    Cache<Object, Object> anything =
        managers
            .other()
            .createCache("numbers", new javax.cache.configuration.MutableConfiguration<>());
    assertThat(anything.get("a")).as("without types").isEqualTo(1L);
    assertThat(anything.unwrap(dev.headrace.api.Cache.class).size()).isEqualTo(1);
    assertThat(new TreeSet<>(List.of(managers.one().getCacheNames().iterator().next())))
        .containsExactly("numbers");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static void inThreads(int count, IntConsumer work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int thread = i;
        tasks.add(
            () -> {
              work.accept(thread);
              return null;
            });
      }
      for (Future<Void> done : threads.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
