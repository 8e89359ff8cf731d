package dev.headrace.cluster.node;

import static dev.headrace.cluster.node.Quotes.await;
import static dev.headrace.cluster.node.Quotes.cache;
import static dev.headrace.cluster.node.Quotes.entries;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.stream.CloseableIterator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes with several event loops of each kind, as machines with many cores have them. */
@Timeout(240)
class SeveralLoopsTest {
  private static final int WRITERS = 3;
  private static final int KEYS = 40;

  @Test
  void bulkMethodsAndStreamsSeeEverythingFromNodesWithAnyNumberOfLoops() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> loops(settings, 4));
      cluster.start(settings -> loops(settings, 1));
      cluster.start(settings -> loops(settings, 3));
      Headrace client = cluster.start(settings -> loops(settings.capacity(0), 4));
      cache(client).putAll(entries());
      assertThat(cache(client).getAll(entries().keySet())).isEqualTo(entries());
      ExecutorService subscribers = Executors.newFixedThreadPool(4);
      try {
        List<Future<Map<String, String>>> walks = new ArrayList<>();
        for (Headrace node : List.of(client, cluster.node(0), cluster.node(1), cluster.node(2))) {
          walks.add(subscribers.submit(() -> walk(cache(node))));
        }
        for (Future<Map<String, String>> walk : walks) {
          assertThat(walk.get()).isEqualTo(entries());
        }
      } finally {
        subscribers.shutdownNow();
      }
    }
  }

  @Test
  void writesThatWaitForTheOneBeforeTakeEffectInTheirOrder() {
    try (NodeCluster cluster = NodeCluster.of(3, settings -> loops(settings, 4))) {
      Headrace client = cluster.start(settings -> loops(settings.capacity(0), 4));
      AsyncCache<String, String> cache = cache(client).async();
      List<CompletableFuture<?>> writes = new ArrayList<>();
      for (int key = 0; key < KEYS; key++) {
        CompletableFuture<?> last = CompletableFuture.completedFuture(null);
        for (int round = 0; round < 250; round++) {
          String name = "key-" + key;
          String value = "round-" + round;
          last = last.thenCompose(before -> cache.put(name, value));
        }
        writes.add(last);
      }
      CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).join();
      for (int key = 0; key < KEYS; key++) {
        assertThat(cache(cluster.node(0)).get("key-" + key)).isEqualTo("round-249");
      }
    }
  }

  @Test
  void nothingIsLostOrTakesEffectTwiceWhileNodesJoinLeaveAndCrash() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(4, settings -> loops(settings, 4))) {
      Headrace client = cluster.start(settings -> loops(settings.capacity(0), 4));
      cache(client).putAll(entries());
      AtomicBoolean over = new AtomicBoolean();
      ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
      try {
        List<Future<Integer>> written = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          Cache<String, String> cache = cache(writer == 0 ? client : cluster.node(0));
          String name = "writer-" + writer + "-";
          written.add(writers.submit(() -> countUp(cache, name, over)));
        }
        cluster.node(1).close();
        cluster.start(settings -> loops(settings, 4));
        cluster.node(2).kill();
        Map<String, String> walked = walk(cache(client));
        walked.keySet().retainAll(entries().keySet());
        assertThat(walked).isEqualTo(entries());
        await(() -> client.status().members().size() == 4);
        over.set(true);
        for (int writer = 0; writer < WRITERS; writer++) {
          int times = written.get(writer).get();
          for (int key = 0; key < KEYS; key++) {
            assertThat(cache(cluster.node(3)).get("writer-" + writer + "-" + key))
                .isEqualTo(Integer.toString(times));
          }
        }
      } finally {
        over.set(true);
        writers.shutdownNow();
      }
      assertThat(cache(cluster.node(3)).getAll(entries().keySet())).isEqualTo(entries());
    }
  }

  /** Counts keys up one after the other, by conditions that hold only if each write counts once. */
  private static int countUp(Cache<String, String> cache, String name, AtomicBoolean over) {
    for (int key = 0; key < KEYS; key++) {
      cache.put(name + key, "0");
    }
    int times = 0;
    while (!over.get()) {
      for (int key = 0; key < KEYS; key++) {
        String before = Integer.toString(times);
        assertThat(cache.replace(name + key, before, Integer.toString(times + 1))).isTrue();
      }
      times++;
    }
    return times;
  }

  private static Map<String, String> walk(Cache<String, String> cache) {
    Map<String, String> seen = new HashMap<>();
    try (CloseableIterator<Map.Entry<String, String>> all =
        cache.stream().batchSize(1000).entries().iterator()) {
      while (all.hasNext()) {
        Map.Entry<String, String> entry = all.next();
        assertThat(seen.put(entry.getKey(), entry.getValue())).isNull();
      }
    }
    return seen;
  }

  private static NodeSettings.Builder loops(NodeSettings.Builder settings, int loops) {
    return settings.operationLoops(loops).bulkLoops(loops);
  }
}
