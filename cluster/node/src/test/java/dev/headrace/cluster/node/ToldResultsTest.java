package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.RetainedChanges;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nodes keep what an operation has told its caller until the caller has it, and not longer, however
 * large it was. {@code -Dheadrace.results=full} has 20 callers remove 10,000 values of a megabyte.
 */
@Timeout(900)
final class ToldResultsTest {
  private static final boolean FULL = "full".equals(System.getProperty("headrace.results"));
  private static final int CALLERS = FULL ? 20 : 4;
  private static final int OPERATIONS = FULL ? 10_000 : 1_000;
  private static final int VALUE_BYTES = FULL ? 1 << 20 : 256 << 10;
  private static final long MOST_GROWTH_BYTES = 64 << 20;

  @Test
  void theHeapIsAsBeforeWhenLargeValuesHaveBeenTakenOut() throws Exception {
    // What is retained for readers of changes has a bound of its own.
    try (NodeCluster cluster =
        NodeCluster.of(2, settings -> settings.retainedChanges(new RetainedChanges(0, false)))) {
      List<Cache<String, byte[]>> caches = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        HeadraceNode client = cluster.start(settings -> settings.capacity(0));
        caches.add(client.cache("blocks", String.class, byte[].class));
      }
      takeOut(caches, CALLERS * 100, 100);
      long beforeBytes = usedBytes();

      takeOut(caches, OPERATIONS, VALUE_BYTES);

      Quotes.await(() -> usedBytes() - beforeBytes <= MOST_GROWTH_BYTES);
    }
  }

  private static void takeOut(List<Cache<String, byte[]>> caches, int operations, int bytes)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(caches.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int caller = 0; caller < caches.size(); caller++) {
        Cache<String, byte[]> cache = caches.get(caller);
        String prefix = caller + "-";
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < operations / caches.size(); i++) {
                    cache.put(prefix + i, new byte[bytes]);
                    assertThat(cache.getAndRemove(prefix + i)).hasSize(bytes);
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** The heap of this process, and so of all its nodes, after a collection. */
  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
