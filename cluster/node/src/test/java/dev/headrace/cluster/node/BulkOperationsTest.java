package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.replication.message.BulkReadReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bulk methods on real nodes, some of which come and go meanwhile. */
@Timeout(240)
class BulkOperationsTest {
  private static final int ENTRIES = 5_000;

  private static Cache<String, String> cache(Headrace node) {
    return node.cache("quotes", String.class, String.class);
  }

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }

  @Test
  void allNodesReadTheSame() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      cache(client).putAll(entries());
      List<String> keys = new ArrayList<>(entries().keySet());
      keys.addAll(keys.subList(0, 100));
      keys.add("absent");
      for (Headrace node : List.of(cluster.node(0), cluster.node(1), cluster.node(2), client)) {
        assertThat(cache(node).getAll(keys)).isEqualTo(entries());
        assertThat(cache(node).async().getAll(keys).toCompletableFuture().join())
            .isEqualTo(entries());
        assertThat(cache(node).getAll(List.of())).isEmpty();
      }
      assertThat(client.cache("never written", String.class, String.class).getAll(keys)).isEmpty();
    }
  }

  @Test
  void readsGoOnWhileNodesJoinLeaveAndCrash() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(4)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      cache(client).putAll(entries());
      AtomicBoolean over = new AtomicBoolean();
      AtomicInteger reads = new AtomicInteger();
      ExecutorService readers = Executors.newFixedThreadPool(2);
      try {
        List<Future<?>> running = new ArrayList<>();
        for (Headrace node : List.of(client, cluster.node(0))) {
          running.add(
              readers.submit(
                  () -> {
                    while (!over.get()) {
                      assertThat(cache(node).getAll(entries().keySet())).isEqualTo(entries());
                      reads.incrementAndGet();
                    }
                  }));
        }
        cluster.node(1).close();
        cluster.start(settings -> settings);
        cluster.node(2).kill();
        int before = reads.get();
        while (reads.get() < before + 20 && running.stream().noneMatch(Future::isDone)) {
          LockSupport.parkNanos(1_000_000);
        }
        over.set(true);
        for (Future<?> reader : running) {
          reader.get();
        }
      } finally {
        over.set(true);
        readers.shutdownNow();
      }
    }
  }

  @Test
  void writesGoOnWhileNodesLeaveAndCrash() {
    try (NodeCluster cluster = NodeCluster.of(4)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      cache(client).putAll(entries());
      cluster.node(1).close();
      Map<String, String> newer = new HashMap<>();
      entries().keySet().forEach(key -> newer.put(key, "newer"));
      cache(client).putAll(newer);
      cluster.node(2).kill();
      newer.replaceAll((key, value) -> "newest");
      cache(client).putAll(newer);
      assertThat(cache(cluster.node(0)).getAll(newer.keySet())).isEqualTo(newer);
      assertThat(cache(client).size()).isEqualTo(ENTRIES);
    }
  }

  @Test
  void valuesOfAllSizesAreReadTogether() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      Cache<Integer, byte[]> cache = client.cache("large", Integer.class, byte[].class);
      Map<Integer, byte[]> entries = new HashMap<>();
      int most = BulkReadReply.MAX_VALUE_BYTES;
      int[] sizes = {0, 1, 100, 5_000, 100_000, most - 1, most, most + 1, 1 << 20};
      for (int i = 0; i < 300; i++) {
        byte[] value = new byte[sizes[i % sizes.length]];
        Arrays.fill(value, (byte) i);
        entries.put(i, value);
      }
      cache.putAll(entries);
      Map<Integer, byte[]> found = cache.getAll(entries.keySet());
      assertThat(found).hasSize(entries.size());
      found.forEach(
          (key, value) ->
              assertThat(Arrays.equals(value, entries.get(key))).as("%s", key).isTrue());
    }
  }

  @Test
  void badKeysFailBeforeAnythingIsAsked() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      List<String> withNull = Arrays.asList("a", null);
      assertThatThrownBy(() -> cache.getAll(withNull)).isInstanceOf(NullPointerException.class);
      List<String> tooLarge = List.of("a", "x".repeat(65 << 20));
      assertThatThrownBy(() -> cache.getAll(tooLarge))
          .isInstanceOf(EntryTooLargeException.class)
          .hasMessageContaining("maxEntryBytes");
      @SuppressWarnings({"unchecked", "rawtypes"}) // What the compiler has not noticed.
      List<String> numbers = (List) List.of(1);
      assertThatThrownBy(() -> cache.getAll(numbers)).isInstanceOf(ClassCastException.class);
    }
  }

  @Test
  void anotherFormatIsTold() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      cache(client).put("key", "value");
      Cache<String, Integer> wrong = client.cache("quotes", String.class, Integer.class);
      assertThatThrownBy(() -> wrong.getAll(List.of("key", "other")))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("\"quotes\"");
      assertThatThrownBy(() -> wrong.putAll(Map.of("key", 1))).isInstanceOf(CodecException.class);
    }
  }

  @Test
  void afterCloseThereIsAnError() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.put("key", "value");
      cluster.node(0).close();
      assertThatThrownBy(() -> cache.getAll(List.of("key")))
          .isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cache.putAll(Map.of("key", "value")))
          .isInstanceOf(NodeClosedException.class);
    }
  }
}
