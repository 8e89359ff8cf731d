package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.integration.CacheLoader;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the bean of a cache's statistics tells. */
@Timeout(120)
final class StatisticsTest {
  private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final CacheManager manager = new HeadraceCachingProvider().getCacheManager();

  @AfterEach
  void stop() {
    manager.close();
  }

  private static void work() {
    long start = System.nanoTime();
    while (System.nanoTime() - start < WORK_NANOS) {
      Thread.onSpinWait();
    }
  }

  /** Works for a while for each call. */
  private static final class SlowLoader implements CacheLoader<String, Long> {
    @Override
    public Long load(String key) {
      return loadAll(Set.of(key)).get(key);
    }

    @Override
    public Map<String, Long> loadAll(Iterable<? extends String> keys) {
      work();
      Map<String, Long> loaded = new HashMap<>();
      keys.forEach(key -> loaded.put(key, 1L));
      return loaded;
    }
  }

  private static float figure(String name) throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    Set<ObjectName> found =
        beans.queryNames(new ObjectName("javax.cache:type=CacheStatistics,Cache=timed,*"), null);
    assertThat(found).hasSize(1);
    return ((Number) beans.getAttribute(found.iterator().next(), name)).floatValue();
  }

  @Test
  void aReadThatAlsoWritesTakesTheTimeOfTheOperation() throws Exception {
    Cache<String, Long> cache = manager.createCache("timed", numbers().setStatisticsEnabled(true));

    cache.invoke(
        "a",
        (entry, arguments) -> {
          work();
          entry.setValue(1L);
          return null;
        });

    assertThat(figure("CacheGets")).isEqualTo(1);
    assertThat(figure("AveragePutTime")).as("in microseconds").isGreaterThanOrEqualTo(50_000);
    assertThat(figure("AverageGetTime")).as("in microseconds").isGreaterThanOrEqualTo(50_000);
  }

  @Test
  void aReadOfSeveralKeysTakesTheTimeOfTheirLoader() throws Exception {
    Cache<String, Long> cache =
        manager.createCache(
            "timed",
            numbers()
                .setStatisticsEnabled(true)
                .setReadThrough(true)
                .setCacheLoaderFactory(SlowLoader::new));

    assertThat(cache.getAll(Set.of("a", "b"))).hasSize(2);

    assertThat(figure("CacheMisses")).isEqualTo(2);
    assertThat(figure("AverageGetTime")).as("in microseconds").isGreaterThanOrEqualTo(25_000);
  }
}
