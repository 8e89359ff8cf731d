package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A cluster of one segment, through which everything has to go. */
class OneSegmentTest {
  private static final int ENTRIES = 20_000;

  private static Map<Integer, String> entries(int from) {
    Map<Integer, String> entries = new HashMap<>();
    IntStream.range(from, from + ENTRIES).forEach(i -> entries.put(i, "value-" + i));
    return entries;
  }

  @Test
  void takesManyEntriesFromSeveralAtOnce() {
    try (NodeCluster cluster = NodeCluster.of(2, settings -> settings.segments(1).owners(2))) {
      Cache<Integer, String> one = cluster.node(0).cache("c", Integer.class, String.class);
      Cache<Integer, String> two = cluster.node(1).cache("c", Integer.class, String.class);
      CompletableFuture<?> first = one.async().putAll(entries(0)).toCompletableFuture();
      CompletableFuture<?> second = two.async().putAll(entries(ENTRIES)).toCompletableFuture();
      two.putAll(entries(2 * ENTRIES));
      CompletableFuture.allOf(first, second).join();
      assertThat(one.size()).isEqualTo(3 * ENTRIES);
    }
  }
}
