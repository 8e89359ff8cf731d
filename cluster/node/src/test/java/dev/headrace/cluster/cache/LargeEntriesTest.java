package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.cluster.node.NodeCluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ordinary work with large entries between two nodes, of which one holds everything. */
@Timeout(240)
class LargeEntriesTest {
  private static final int ENTRIES = 4096;
  private static final byte[] VALUE = new byte[64 << 10];

  static {
    Arrays.fill(VALUE, (byte) 7);
  }

  @Test
  void thousandsOfLargeValuesAreWrittenAndReadAtOnce() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.owners(1));
      Cache<Integer, byte[]> cache =
          cluster
              .start(settings -> settings.owners(1).capacity(0))
              .cache("large", Integer.class, byte[].class);
      Map<Integer, byte[]> entries = new HashMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        entries.put(i, VALUE);
      }
      cache.putAll(entries);
      assertThat(cache.size()).isEqualTo(ENTRIES);
      assertThat(cache.getAll(entries.keySet()))
          .hasSize(ENTRIES)
          .allSatisfy((key, value) -> assertThat(Arrays.equals(value, VALUE)).isTrue());
    }
  }

  @Test
  void manySingleReadsOfLargeValuesOverloadNobody() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.owners(1));
      Cache<Integer, byte[]> cache =
          cluster
              .start(settings -> settings.owners(1).capacity(0))
              .cache("large", Integer.class, byte[].class);
      for (int i = 0; i < 64; i++) {
        cache.put(i, VALUE);
      }
      List<CompletableFuture<Integer>> lengths = new ArrayList<>();
      for (int i = 0; i < ENTRIES; i++) {
        lengths.add(
            cache.async().get(i % 64).thenApply(value -> value.length).toCompletableFuture());
      }
      assertThat(lengths).allSatisfy(length -> assertThat(length.join()).isEqualTo(VALUE.length));
    }
  }

  @Test
  void theLargestLegalValueTravelsBesideOthers() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      Cache<String, byte[]> one = cluster.node(0).cache("large", String.class, byte[].class);
      Cache<String, byte[]> two = cluster.node(1).cache("large", String.class, byte[].class);
      byte[] largest = new byte[(64 << 20) - 16];
      CompletableFuture<?> large = one.async().put("largest", largest).toCompletableFuture();
      List<CompletableFuture<?>> others = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        others.add(one.async().put("small-" + i, new byte[100]).toCompletableFuture());
        others.add(two.async().put("other-" + i, new byte[100]).toCompletableFuture());
      }
      large.join();
      others.forEach(CompletableFuture::join);
      assertThat(two.get("largest")).hasSize(largest.length);
      assertThat(two.size()).isEqualTo(1001);
    }
  }
}
