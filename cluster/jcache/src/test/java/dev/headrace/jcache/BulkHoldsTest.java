package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CompletionListenerFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations on many keys hold these, and no others. */
@Timeout(240)
final class BulkHoldsTest {
  private static final int MANY = 2_000;

  private final CacheManager manager = new HeadraceCachingProvider().getCacheManager();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void stop() {
    goOn.countDown();
    threads.shutdownNow();
    manager.close();
  }

  /** Says that it has begun, and waits. */
  private void work() {
    begun.countDown();
    try {
      assertThat(goOn.await(200, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A loader of a slow source. */
  private final class SlowLoader implements CacheLoader<String, Long> {
    @Override
    public Long load(String key) {
      return 1L;
    }

    @Override
    public Map<String, Long> loadAll(Iterable<? extends String> keys) {
      work();
      Map<String, Long> loaded = new HashMap<>();
      keys.forEach(key -> loaded.put(key, load(key)));
      return loaded;
    }
  }

  /** A writer to what is slow with many entries at a time. */
  private final class SlowWriter implements CacheWriter<String, Long> {
    @Override
    public void write(Cache.Entry<? extends String, ? extends Long> entry) {}

    @Override
    public void writeAll(Collection<Cache.Entry<? extends String, ? extends Long>> entries) {
      work();
    }

    @Override
    public void delete(Object key) {}

    @Override
    public void deleteAll(Collection<?> keys) {}
  }

  private static Map<String, Long> many() {
    return IntStream.range(0, MANY).boxed().collect(Collectors.toMap(i -> "key-" + i, i -> 1L));
  }

  private static void changeOtherKeys(Cache<String, Long> cache) {
    for (int i = 0; i < 20; i++) {
      assertThat(cache.getAndPut("other-" + i, 7L)).isNull();
    }
  }

  @Test
  void otherKeysCanBeChangedWhileManyAreLoaded() throws Exception {
    Cache<String, Long> cache =
        manager.createCache("numbers", numbers().setCacheLoaderFactory(() -> new SlowLoader()));
    CompletionListenerFuture loaded = new CompletionListenerFuture();
    cache.loadAll(many().keySet(), true, loaded);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    changeOtherKeys(cache);

    goOn.countDown();
    loaded.get(60, TimeUnit.SECONDS);
    assertThat(cache.get("key-1999")).isEqualTo(1L);
  }

  @Test
  void otherKeysCanBeChangedWhileManyAreWritten() throws Exception {
    Cache<String, Long> cache =
        manager.createCache(
            "numbers",
            numbers().setWriteThrough(true).setCacheWriterFactory(() -> new SlowWriter()));
    Future<?> written = threads.submit(() -> cache.putAll(many()));
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    changeOtherKeys(cache);

    goOn.countDown();
    written.get(60, TimeUnit.SECONDS);
    assertThat(cache.get("key-1999")).isEqualTo(1L);
  }

  @Test
  void aKeyThatIsBeingLoadedIsWaitedFor() throws Exception {
    Cache<String, Long> cache =
        manager.createCache("numbers", numbers().setCacheLoaderFactory(() -> new SlowLoader()));
    CompletionListenerFuture loaded = new CompletionListenerFuture();
    cache.loadAll(many().keySet(), true, loaded);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    Future<Long> previous = threads.submit(() -> cache.getAndPut("key-7", 7L));
    goOn.countDown();

    assertThat(previous.get(60, TimeUnit.SECONDS)).as("what was loaded").isEqualTo(1L);
    loaded.get(60, TimeUnit.SECONDS);
    assertThat(cache.get("key-7")).isEqualTo(7L);
  }

  @Test
  void bulkOperationsInDifferentOrdersDoNotWaitForEachOther() throws Exception {
    goOn.countDown();
    Cache<String, Long> cache =
        manager.createCache(
            "numbers",
            numbers().setWriteThrough(true).setCacheWriterFactory(() -> new SlowWriter()));
    // Of these texts many have the same hash: AaAa, AaBB, BBAa and BBBB.
    List<String> keys = new ArrayList<>(List.of("x"));
    for (int length = 0; length < 4; length++) {
      keys =
          new ArrayList<>(
              keys.stream().flatMap(k -> List.of(k + "Aa", k + "BB").stream()).toList());
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      Map<String, Long> values = new LinkedHashMap<>();
      List<String> order = new ArrayList<>(keys);
      if (thread % 2 == 1) {
        Collections.reverse(order);
      }
      order.forEach(key -> values.put(key, 1L));
      all.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 50; i++) {
                  cache.putAll(values);
                }
              },
              threads));
    }

    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get(120, TimeUnit.SECONDS);

    assertThat(cache.getAll(Set.copyOf(keys))).hasSize(keys.size());
  }
}
