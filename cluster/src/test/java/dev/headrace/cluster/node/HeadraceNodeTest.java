package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.entry.HashSpace;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that come, go, crash and are refused. */
@Timeout(120)
class HeadraceNodeTest {
  private static final int ENTRIES = 30_000;

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }

  private static Cache<String, String> cache(Headrace node) {
    return node.cache("quotes", String.class, String.class);
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("the condition is met in time").isLessThan(deadlineNanos);
      Thread.onSpinWait();
    }
  }

  @Test
  void aNodeAloneIsACluster() {
    try (TestCluster cluster = TestCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      assertThat(cache.size()).isEqualTo(ENTRIES);
      ClusterStatus status = cluster.node(0).status();
      assertThat(status.configuredOwners()).isEqualTo(2);
      assertThat(status.effectiveOwners()).isEqualTo(1);
      assertThat(status.members()).hasSize(1);
      assertThat(status.members().get(0).primarySegments()).isEqualTo(256);
      assertThat(cluster.node(0).describe()).contains("director at epoch", "under way: []");
    }
  }

  @Test
  void aStreamOutlivesANodeThatCrashesInItsMiddle() {
    try (TestCluster cluster = TestCluster.of(4)) {
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
    try (TestCluster cluster = TestCluster.of(3)) {
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
    try (TestCluster cluster = new TestCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(settings -> settings.owners(1));
      }
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
  void aSegmentThatLostAllItsOwnersStartsAnewEmpty() {
    try (TestCluster cluster = new TestCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(settings -> settings.owners(1));
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
  void aNodeThatLeavesInOrderIsNotMissed() {
    try (TestCluster cluster = TestCluster.of(3)) {
      cache(cluster.node(0)).putAll(entries());
      cluster.node(0).close();
      assertThat(cache(cluster.node(1)).size()).isEqualTo(ENTRIES);
      assertThat(cluster.node(1).status().members()).hasSize(2);
    }
  }

  @Test
  void aNodeOfCapacityZeroHoldsNothingAndSeesEverything() {
    try (TestCluster cluster = TestCluster.of(2)) {
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
    try (TestCluster cluster = TestCluster.of(2)) {
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
    try (TestCluster cluster = new TestCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(settings -> settings.owners(1));
      }
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
  void ofTwoNodesThatMayGoOnAloneTheYoungerDoesWhenTheOlderCrashes() {
    try (TestCluster cluster = new TestCluster()) {
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
    try (TestCluster cluster = TestCluster.of(2)) {
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
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("was not taken in within 3.5 s")
          .hasMessageContaining("node node-0 (");
    }
  }

  @Test
  void nodesOfOneNameAreToldApart() {
    try (TestCluster cluster = TestCluster.of(1)) {
      HeadraceNode second = cluster.start(settings -> settings.nodeName("node-0"));
      assertThat(second.status().members())
          .extracting(ClusterStatus.Member::name)
          .doesNotHaveDuplicates()
          .allSatisfy(name -> assertThat(name).startsWith("node-0"));
    }
  }

  @Test
  void aNodeWithOtherSettingsIsRefusedAndToldWhich() {
    try (TestCluster cluster = TestCluster.of(1)) {
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
    try (TestCluster cluster = new TestCluster()) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings -> settings.capacity(0).joinTimeout(Duration.ofMillis(1500))))
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("found no cluster");
    }
  }

  @Test
  void aStreamThatWaitsForOwnersEndsWhenItsNodeCloses() throws Exception {
    try (TestCluster cluster = new TestCluster()) {
      cluster.start(settings -> settings.owners(1));
      HeadraceNode client = cluster.start(settings -> settings.owners(1).capacity(0));
      cache(client).putAll(entries());
      CloseableIterator<Map.Entry<String, String>> all =
          cache(client).stream().batchSize(10).entries().iterator();
      all.next();
      cluster.node(0).kill(); // the client sees this only after a while, and waits until then
      ExecutorService threads = Executors.newSingleThreadExecutor();
      try {
        Future<?> reading = threads.submit(() -> all.forEachRemaining(entry -> {}));
        client.kill();
        assertThatThrownBy(() -> reading.get(20, TimeUnit.SECONDS))
            .cause()
            .isInstanceOfAny(NodeClosedException.class, StreamInterruptedException.class);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  @Test
  void everyCloseReturnsWhenTheNodeIsClosed() throws Exception {
    try (TestCluster cluster = TestCluster.of(2)) {
      HeadraceNode node = cluster.node(1);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Callable<Boolean>> closes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Runnable close = i % 2 == 0 ? node::close : node::kill;
          closes.add(
              () -> {
                close.run();
                return threadsOf("node-1").isEmpty();
              });
        }
        for (Future<Boolean> closed : threads.invokeAll(closes)) {
          assertThat(closed.get()).as("nothing of the node is left").isTrue();
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  /** Threads of a node's wire and membership; those for user code end when they are idle. */
  private static List<String> threadsOf(String nodeName) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.equals("headrace-membership-" + nodeName))
        .toList();
  }

  @Test
  void aTakenDataPortIsNamedAndNothingIsLeftBehind() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        TestCluster cluster = new TestCluster()) {
      assertThatThrownBy(
              () ->
                  cluster.start(
                      settings ->
                          settings.nodeName("port-is-taken").dataPort(taken.getLocalPort())))
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("dataPort")
          .hasMessageContaining(String.valueOf(taken.getLocalPort()));
      assertThat(threadsOf("port-is-taken")).isEmpty();
    }
  }

  @Test
  void whatWasOpenedBeforeFailsWhenTheNodeIsClosed() {
    try (TestCluster cluster = TestCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.putAll(entries());
      AsyncCache<String, String> async = cache.async();
      Map<String, String> map = cache.asMap();
      StreamPublisher<String> prepared = cache.stream().batchSize(10).keys();
      CloseableIterator<String> open = prepared.iterator();
      assertThat(open.next()).isNotEmpty();
      cluster.node(0).close();
      assertThatThrownBy(() -> async.get("k").toCompletableFuture().join())
          .hasCauseInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> async.putAll(Map.of("k", "v")).toCompletableFuture().join())
          .hasCauseInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> map.get("k")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> map.put("k", "v")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(map::size).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> prepared.iterator().hasNext())
          .isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> open.forEachRemaining(key -> {}))
          .isInstanceOf(NodeClosedException.class);
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
    try (TestCluster cluster = new TestCluster()) {
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

  @Test
  void aClosedNodeRefusesEverything() {
    try (TestCluster cluster = TestCluster.of(1)) {
      Cache<String, String> cache = cache(cluster.node(0));
      cache.put("k", "v");
      CloseableIterator<Map.Entry<String, String>> open = cache.iterator();
      cluster.node(0).close();
      cluster.node(0).close();
      assertThatThrownBy(() -> cache.get("k")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cache.put("k", "v")).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(cache::iterator).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cluster.node(0).status()).isInstanceOf(NodeClosedException.class);
      assertThatThrownBy(() -> cache(cluster.node(0))).isInstanceOf(NodeClosedException.class);
      open.close();
    }
  }
}
