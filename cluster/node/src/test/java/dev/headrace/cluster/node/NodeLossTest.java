package dev.headrace.cluster.node;

import static dev.headrace.cluster.node.Quotes.ENTRIES;
import static dev.headrace.cluster.node.Quotes.await;
import static dev.headrace.cluster.node.Quotes.cache;
import static dev.headrace.cluster.node.Quotes.entries;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that crash, and what is lost with them and what is not. */
@Timeout(240)
class NodeLossTest {
  @Test
  void aStreamOutlivesANodeThatCrashesInItsMiddle() {
    try (NodeCluster cluster = NodeCluster.of(4)) {
      cache(cluster.node(0)).putAll(entries());
      Map<String, String> seen = new HashMap<>();
      try (CloseableIterator<Map.Entry<String, String>> all =
          cache(cluster.node(3)).stream().batchSize(500).entries().iterator()) {
        while (all.hasNext()) {
          Map.Entry<String, String> entry = all.next();
          assertThat(seen.put(entry.getKey(), entry.getValue())).isNull();
          if (seen.size() == ENTRIES / 3) {
            cluster.node(1).kill();
          }
        }
      }
      assertThat(seen).isEqualTo(entries());
      cache(cluster.node(2)).put("key-0", "after");
      assertThat(cache(cluster.node(3)).get("key-0")).isEqualTo("after");
      await(() -> cluster.node(3).status().members().size() == 3);
    }
  }

  @Test
  void noAcknowledgedWriteIsLostWithItsPrimary() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      cache(cluster.node(0)).put("first", "write");
      ExecutorService writers = Executors.newFixedThreadPool(2);
      try {
        List<Future<Integer>> written = new ArrayList<>();
        for (int writer = 0; writer < 2; writer++) {
          int number = writer;
          written.add(
              writers.submit(
                  () -> {
                    Cache<String, String> cache = cache(cluster.node(number * 2));
                    for (int i = 0; i < 3000; i++) {
                      cache.put(number + "-" + i, "v" + i);
                      if (number == 0 && i == 1000) {
                        cluster.node(1).kill();
                      }
                    }
                    return 3000;
                  }));
        }
        for (Future<Integer> done : written) {
          assertThat(done.get()).isEqualTo(3000);
        }
      } finally {
        writers.shutdownNow();
      }
      for (int i = 0; i < 3000; i++) {
        assertThat(cache(cluster.node(0)).get("1-" + i)).isEqualTo("v" + i);
        assertThat(cache(cluster.node(2)).get("0-" + i)).isEqualTo("v" + i);
      }
      assertThat(cache(cluster.node(2)).size()).isEqualTo(6001);
    }
  }

  @Test
  void aStreamThatRunsIsToldWhenASegmentLosesAllItsOwners() {
    try (NodeCluster cluster = NodeCluster.of(3, settings -> settings.owners(1))) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      Set<Integer> skipped = new HashSet<>();
      StreamListener listener =
          new StreamListener() {
            @Override
            public void segmentSkipped(int segment) {
              skipped.add(segment);
            }
          };
      try (CloseableIterator<String> strict = cache.stream().batchSize(8).keys().iterator();
          CloseableIterator<String> lenient =
              cache.stream()
                  .delivery(Delivery.AT_MOST_ONCE)
                  .batchSize(8)
                  .listener(listener)
                  .keys()
                  .iterator()) {
        strict.next();
        Set<String> seen = new HashSet<>(Set.of(lenient.next()));
        cluster.node(2).kill();
        assertThatThrownBy(() -> strict.forEachRemaining(key -> {}))
            .isInstanceOfSatisfying(
                StreamInterruptedException.class,
                e -> {
                  assertThat(e.segments()).isNotEmpty();
                  assertThat(e.resumeToken()).isNotEmpty();
                });
        lenient.forEachRemaining(key -> assertThat(seen.add(key)).isTrue());
        assertThat(skipped).isNotEmpty();
        assertThat(seen).hasSizeLessThan(ENTRIES);
      }
    }
  }

  @Test
  void aSegmentThatLostAllItsOwnersStartsAnewEmptyWhereTheSettingsSaySo() {
    try (NodeCluster cluster = new NodeCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(
            settings -> settings.owners(1).lostSegments(LostSegments.recreateAfter(Duration.ZERO)));
      }
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      cluster.node(2).kill();
      await(
          () ->
              cluster.node(0).status().members().size() == 2
                  && cluster.node(0).status().lostSegments().isEmpty());
      long left = entries().keySet().stream().filter(key -> cache.get(key) != null).count();
      assertThat(left).isPositive().isLessThan(ENTRIES);
      cache.putAll(entries());
      assertThat(cache.size()).isEqualTo(ENTRIES);
    }
  }

  @Test
  void segmentsOfANodeThatIsKnownToHaveEndedBeginAnewWhereTheSettingsSaySo() {
    try (NodeCluster cluster = new NodeCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(
            settings -> settings.owners(1).lostSegments(LostSegments.recreateWhenEnded()));
      }
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      cluster.node(2).kill();
      await(
          () ->
              cluster.node(0).status().members().size() == 2
                  && cluster.node(0).status().lostSegments().isEmpty());
      assertThat(cluster.node(0).status().absent()).isEmpty();
      long left = entries().keySet().stream().filter(key -> cache.get(key) != null).count();
      assertThat(left).isPositive().isLessThan(ENTRIES);
    }
  }

  @Test
  void aNodeThatDecidesOtherwiseAboutLostSegmentsIsRefused() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings -> settings.lostSegments(LostSegments.recreateWhenEnded())))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("lostSegments recreateWhenEnded()")
          .hasMessageContaining("start it with WAIT");
      cluster.start(
          settings -> settings.capacity(0).lostSegments(LostSegments.recreateWhenEnded()));
    }
  }

  @Test
  void segmentsOfACrashedNodeWaitForItUntilTheyAreGivenUp() {
    try (NodeCluster cluster = NodeCluster.of(3, settings -> settings.owners(1))) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      cluster.node(2).kill();
      HeadraceNode node = cluster.node(0);
      await(() -> node.status().members().size() == 2);
      List<Integer> waiting = node.status().lostSegments();
      assertThat(waiting).isNotEmpty();
      assertThat(node.status().absent()).hasSize(1);
      assertThat(node.status().absent().get(0).name()).isEqualTo("node-2");
      assertThat(node.status().absent().get(0).segments()).isEqualTo(waiting);
      assertThatThrownBy(() -> entries().keySet().forEach(cache::get))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("waits for node-2 (127.0.0.1:");
      assertThatThrownBy(() -> cache.iterator().forEachRemaining(entry -> {}))
          .isInstanceOfSatisfying(
              StreamInterruptedException.class, e -> assertThat(waiting).containsAll(e.segments()))
          .hasMessageContaining("node-2");

      assertThat(node.giveUp(Set.copyOf(waiting)).toCompletableFuture().join())
          .containsExactlyInAnyOrderElementsOf(waiting);
      await(() -> node.status().lostSegments().isEmpty());
      assertThat(node.status().absent()).isEmpty();
      cache.putAll(entries());
      assertThat(cache.size()).isEqualTo(ENTRIES);
    }
  }

  @Test
  void ofTwoNodesThatMayGoOnAloneTheYoungerDoesWhenTheOlderCrashes() {
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.splitPolicy(SplitPolicy.ALLOW));
      cluster.start(settings -> settings.splitPolicy(SplitPolicy.ALLOW));
      cache(cluster.node(0)).put("k", "v");
      cluster.node(0).kill();
      await(() -> cluster.node(1).status().members().size() == 1);
      cache(cluster.node(1)).put("k", "w");
      assertThat(cache(cluster.node(1)).get("k")).isEqualTo("w");
    }
  }

  @Test
  void theYoungerOfTwoSaysWhoIsMissingToWhomeverComes() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cache(cluster.node(0)).put("k", "v");
      cluster.node(0).kill();
      await(() -> cluster.node(1).status().suspendedBecause() != null);
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));

      assertThat(client.status().suspendedBecause())
          .isEqualTo(cluster.node(1).status().suspendedBecause())
          .contains("node node-0 (127.0.0.1:");
      assertThat(client.status().members())
          .extracting(ClusterStatus.Member::name)
          .containsExactly("node-0", "node-1");
      assertThatThrownBy(() -> cache(client).get("k"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("node node-0 (");
      assertThatThrownBy(() -> cache(client).put("k", "w"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("nothing was written");
      assertThatThrownBy(() -> cache(client).iterator().forEachRemaining(entry -> {}))
          .isInstanceOf(StreamInterruptedException.class);
      assertThatThrownBy(
              () -> cluster.start(settings -> settings.joinTimeout(Duration.ofMillis(3500))))
          .isInstanceOfSatisfying(
              JoinTimeoutException.class,
              late -> {
                assertThat(late.cluster()).isEqualTo(client.settings().clusterName());
                assertThat(late.timeout()).isEqualTo(Duration.ofMillis(3500));
              })
          .hasMessageContaining("was not admitted within 3.5 s")
          .hasMessageContaining("node node-0 (");
    }
  }
}
