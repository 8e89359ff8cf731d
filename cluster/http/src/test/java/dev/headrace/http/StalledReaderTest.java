package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A reader that does not read. */
final class StalledReaderTest {
  private static final int ENTRIES = 12_000;
  private static final int HELD_BYTES = 64 << 10;

  @Test
  void aStalledReaderHoldsLittleAndGoesOnWhereItWas() throws Exception {
    try (HttpCluster cluster = HttpCluster.of(2)) {
      String value = "x".repeat(1_000);
      Cache<String, String> cache = cluster.node(0).cache("large", String.class, String.class);
      Map<String, String> all = new HashMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        all.put("key-" + i, value);
      }
      cache.putAll(all);
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (cluster.get(0, "/v1/caches/large/entries/key-1").statusCode() == 404
          && System.nanoTime() - deadlineNanos < 0) {
        Thread.onSpinWait(); // until the cache is noted
      }

      try (RawClient stalled = new RawClient(cluster.port(0), 16 << 10)) {
        stalled.send("GET /v1/caches/large/entries HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(stalled.line()).isEqualTo("HTTP/1.1 200 OK");
        stalled.headers();
        awaitStandstill(cluster);
        awaitHeldLess(cluster);
        assertThat(cluster.get(0, "/v1/caches/large/entries/key-7").statusCode())
            .as("others are not disturbed")
            .isEqualTo(200);

        long bytes = 0;
        for (byte[] chunk = stalled.chunk(); chunk != null; chunk = stalled.chunk()) {
          bytes += chunk.length;
        }
        assertThat(stalled.headers()).containsEntry("headrace-complete", "true");
        assertThat(bytes)
            .isEqualTo(
                all.keySet().stream()
                    .mapToLong(
                        key -> ("{\"key\":\"" + key + "\",\"value\":\"" + value + "\"}\n").length())
                    .sum());
      }
      assertThat(Arrays.stream(new int[] {0, 1}).mapToLong(i -> streams(cluster, i)).sum())
          .isZero();
    }
  }

  /** Until the stream holds, or was promised, no more than one answer of a node. */
  private static void awaitHeldLess(HttpCluster cluster) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    long used = Long.MAX_VALUE;
    long told = Long.MAX_VALUE; // a moment later
    while (Math.max(used, told) > HELD_BYTES / 2 && System.nanoTime() - deadlineNanos < 0) {
      used = cluster.node(0).status().streamMemory().usedBytes();
      told = cluster.server(0).streams().get(0).creditBytes();
      Thread.onSpinWait();
    }
    assertThat(used)
        .as("what the stream holds or was promised")
        .isLessThanOrEqualTo(HELD_BYTES / 2);
    assertThat(told).as("what its figures tell").isLessThanOrEqualTo(HELD_BYTES / 2);
  }

  private static long streams(HttpCluster cluster, int node) {
    return cluster.node(node).status().streamMemory().streams();
  }

  /** Until the stream of the first server has paused and nothing has been sent for a while. */
  private static void awaitStandstill(HttpCluster cluster) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    long sent = -1;
    int same = 0;
    while (same < 1_000 && System.nanoTime() - deadlineNanos < 0) {
      var streams = cluster.server(0).streams();
      long now = streams.isEmpty() ? 0 : streams.get(0).bytes();
      boolean paused = !streams.isEmpty() && streams.get(0).paused();
      same = paused && now == sent ? same + 1 : 0;
      sent = now;
      Thread.onSpinWait();
    }
    assertThat(same).as("the stream has come to a standstill").isEqualTo(1_000);
  }
}
