package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.CacheManager;
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
          long start = System.nanoTime();
          while (System.nanoTime() - start < WORK_NANOS) {
            Thread.onSpinWait();
          }
          entry.setValue(1L);
          return null;
        });

    assertThat(figure("CacheGets")).isEqualTo(1);
    assertThat(figure("AveragePutTime")).as("in microseconds").isGreaterThanOrEqualTo(50_000);
    assertThat(figure("AverageGetTime")).as("in microseconds").isGreaterThanOrEqualTo(50_000);
  }
}
