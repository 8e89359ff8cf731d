package dev.headrace.cluster.node;

import static dev.headrace.cluster.node.Quotes.ENTRIES;
import static dev.headrace.cluster.node.Quotes.await;
import static dev.headrace.cluster.node.Quotes.cache;
import static dev.headrace.cluster.node.Quotes.entries;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that come, go, crash and are refused. */
@Timeout(240)
class HeadraceNodeTest {
  @Test
  void aNodeAloneIsACluster() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      assertThat(cache.size()).isEqualTo(ENTRIES);
      ClusterStatus status = cluster.node(0).status();
      assertThat(status.configuredOwners()).isEqualTo(2);
      assertThat(status.effectiveOwners()).isEqualTo(1);
      assertThat(status.members()).hasSize(1);
      assertThat(status.members().get(0).primarySegments()).isEqualTo(256);
      assertThat(cluster.node(0).describe()).contains("coordinator at epoch", "under way: []");
    }
  }

  @Test
  void aNodeThatLeavesInOrderIsNotMissed() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      cache(cluster.node(0)).putAll(entries());
      cluster.node(0).close();
      assertThat(cache(cluster.node(1)).size()).isEqualTo(ENTRIES);
      assertThat(cluster.node(1).status().members()).hasSize(2);
    }
  }

  @Test
  void aNodeOfCapacityZeroHoldsNothingAndSeesEverything() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cache(cluster.node(0)).putAll(entries());
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      assertThat(cache(client).size()).isEqualTo(ENTRIES);
      assertThat(cache(client).get("key-7")).isEqualTo("value-7");
      Map<String, String> seen = new HashMap<>();
      cache(client).iterator().forEachRemaining(e -> seen.put(e.getKey(), e.getValue()));
      assertThat(seen).isEqualTo(entries());
      assertThat(client.status().members())
          .filteredOn(ClusterStatus.Member::self)
          .singleElement()
          .satisfies(self -> assertThat(self.primarySegments() + self.backupSegments()).isZero());
      client.kill();
      assertThat(cache(cluster.node(1)).get("key-7")).isEqualTo("value-7");
    }
  }

  @Test
  void aDataNodeThatJoinsTakesItsShareAndReplacesOneThatDies() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cache(cluster.node(0)).putAll(entries());
      HeadraceNode third = cluster.start(settings -> settings);
      await(() -> held(third) >= 170);
      cluster.node(1).kill();
      await(() -> held(third) == 256 && held(cluster.node(0)) == 256);
      assertThat(cache(third).size()).isEqualTo(ENTRIES);
      Map<String, String> seen = new HashMap<>();
      cache(third).iterator().forEachRemaining(e -> seen.put(e.getKey(), e.getValue()));
      assertThat(seen).isEqualTo(entries());
    }
  }

  @Test
  void aNodeThatLeavesHandsOverWhatOnlyItHolds() {
    try (NodeCluster cluster = NodeCluster.of(3, settings -> settings.owners(1))) {
      cache(cluster.node(0)).putAll(entries());
      cluster.node(2).close();
      assertThat(cluster.node(0).status().lostSegments()).isEmpty();
      assertThat(cache(cluster.node(1)).size()).isEqualTo(ENTRIES);
    }
  }

  /** How many replicas a node holds, as it knows itself. */
  private static int held(HeadraceNode node) {
    return node.status().members().stream()
        .filter(ClusterStatus.Member::self)
        .mapToInt(self -> self.primarySegments() + self.backupSegments())
        .sum();
  }

  @Test
  void nodesOfOneNameAreToldApart() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode second = cluster.start(settings -> settings.nodeName("node-0"));
      assertThat(second.status().members())
          .extracting(ClusterStatus.Member::name)
          .doesNotHaveDuplicates()
          .allSatisfy(name -> assertThat(name).startsWith("node-0"));
    }
  }

  @Test
  void aNodeWithOtherSettingsIsRefusedAndToldWhich() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      assertThatThrownBy(() -> cluster.start(settings -> settings.segments(128)))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("128")
          .hasMessageContaining("256")
          .hasNoCause();
      assertThatThrownBy(() -> cluster.start(settings -> settings.owners(3)))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("owners");
      assertThatThrownBy(() -> cluster.start(settings -> settings.hashSeed(4711)))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("seed");
      assertThat(cluster.node(0).status().members()).hasSize(1);
    }
  }

  @Test
  void aClientWithoutAClusterSaysSo() {
    try (NodeCluster cluster = new NodeCluster()) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings -> settings.capacity(0).joinTimeout(Duration.ofMillis(1500))))
          .isInstanceOf(JoinTimeoutException.class)
          .hasMessageContaining("found no cluster");
    }
  }

  @Test
  void keysThatShareAPlaceLiveSideBySide() {
    HashSpace space = new HashSpace(1, 7);
    Map<Long, List<String>> byPlace = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      String key = "key-" + i;
      long hash = space.hash(key.getBytes(StandardCharsets.UTF_8));
      byPlace.computeIfAbsent(space.position(hash) >>> 32, place -> new ArrayList<>()).add(key);
    }
    Map<String, String> entries = new HashMap<>();
    byPlace.values().stream()
        .filter(keys -> keys.size() > 1)
        .forEach(keys -> keys.forEach(key -> entries.put(key, "value of " + key)));
    assertThat(entries).hasSizeGreaterThan(1);
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.segments(1).hashSeed(7));
      cluster.start(settings -> settings.segments(1).hashSeed(7).capacity(0));
      Cache<String, String> cache = cache(cluster.node(1));
      cache.putAll(entries);
      assertThat(cache.getAll(entries.keySet())).isEqualTo(entries);
      Map<String, String> seen = new HashMap<>();
      try (CloseableIterator<Map.Entry<String, String>> all =
          cache.stream().batchSize(1).keys(entries.keySet()).entries().iterator()) {
        all.forEachRemaining(e -> assertThat(seen.put(e.getKey(), e.getValue())).isNull());
      }
      assertThat(seen).isEqualTo(entries);
      entries.keySet().forEach(key -> assertThat(cache.remove(key)).isTrue());
      assertThat(cache.size()).isZero();
    }
  }
}
