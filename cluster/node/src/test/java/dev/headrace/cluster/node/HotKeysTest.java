package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** Few keys that are all changed at the same time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HotKeysTest {
  private static final int NODES = 3;
  private static final int KEYS = 100;
  private static final int CALLS = 10_000;
  private static final int CALLS_OF_ONE_KEY = 2_000;

  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = NodeCluster.of(NODES);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private Cache<Integer, Integer> cache(int node, TestInfo test) {
    return cluster.node(node).cache(test.getDisplayName(), Integer.class, Integer.class);
  }

  private static void assertSums(Cache<Integer, Integer> cache, int each) {
    assertThat(cache.getAll(IntStream.range(0, KEYS).boxed().toList()))
        .hasSize(KEYS)
        .allSatisfy((key, sum) -> assertThat(sum).as("key %d", key).isEqualTo(each));
  }

  @Test
  void everyCallOfOneNodeCounts(TestInfo test) {
    Cache<Integer, Integer> cache = cache(0, test);
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(cache.async().merge(i % KEYS, 1, Integer::sum).toCompletableFuture());
    }
    CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
    assertSums(cache, CALLS / KEYS);
  }

  @Test
  void everyCallOfAllNodesCounts(TestInfo test) {
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      Cache<Integer, Integer> cache = cache(i % NODES, test);
      int key = i / NODES % KEYS;
      calls.add(cache.async().compute(key, (k, n) -> n == null ? 1 : n + 1).toCompletableFuture());
    }
    CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
    Cache<Integer, Integer> cache = cache(0, test);
    assertThat(IntStream.range(0, KEYS).map(key -> cache.get(key)).sum()).isEqualTo(CALLS);
  }

  @Test
  void threadsThatWaitBesideThoseThatDoNotCountToo(TestInfo test) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2 * NODES);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 2 * NODES; thread++) {
        Cache<Integer, Integer> cache = cache(thread % NODES, test);
        running.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < CALLS / 10; i++) {
                    if (i % 2 == 0) {
                      cache.merge(i / 2 % KEYS, 1, Integer::sum);
                    } else {
                      cache
                          .async()
                          .merge(i / 2 % KEYS, 1, Integer::sum)
                          .toCompletableFuture()
                          .join();
                    }
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertSums(cache(0, test), 2 * NODES * CALLS / 10 / KEYS);
  }

  @Test
  void noNodeIsLeftBehindByOthersThatNeverStop(TestInfo test) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(NODES - 1);
    try {
      for (int slow = 0; slow < NODES; slow++) {
        int key = slow;
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger sum = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
          Cache<Integer, Integer> cache = cache(node, test);
          if (node != slow) {
            running.add(
                threads.submit(
                    () -> {
                      while (!stop.get()) {
                        cache.merge(key, 1, Integer::sum);
                        sum.incrementAndGet();
                      }
                    }));
          }
        }
        for (int i = 0; i < 100; i++) {
          cache(slow, test).merge(key, 1, Integer::sum);
          sum.incrementAndGet();
        }
        stop.set(true);
        for (Future<?> one : running) {
          one.get();
        }
        assertThat(cache(0, test).get(key)).isEqualTo(sum.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aFunctionThatThrowsHoldsUpNobody(TestInfo test) {
    Cache<Integer, Integer> cache = cache(0, test);
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS_OF_ONE_KEY; i++) {
      boolean broken = i % 5 == 0;
      calls.add(
          cache(i % NODES, test)
              .async()
              .merge(
                  0,
                  1,
                  (sum, one) -> {
                    if (broken) {
                      throw new IllegalStateException("a broken function");
                    }
                    return sum + one;
                  })
              .toCompletableFuture());
    }
    long failed = calls.stream().filter(call -> isBroken(call)).count();
    assertThat(cache.get(0)).isEqualTo(CALLS_OF_ONE_KEY - (int) failed);
    assertThat(failed).isBetween(CALLS_OF_ONE_KEY / 5 - 1L, CALLS_OF_ONE_KEY / 5L);
  }

  private static boolean isBroken(CompletableFuture<Integer> call) {
    Throwable failure = call.handle((sum, thrown) -> thrown).join();
    if (failure != null) {
      assertThat(failure).hasStackTraceContaining("a broken function");
    }
    return failure != null;
  }
}
