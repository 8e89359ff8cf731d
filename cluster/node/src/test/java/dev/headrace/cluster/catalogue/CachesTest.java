package dev.headrace.cluster.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of caches, on real nodes. */
@Timeout(120)
class CachesTest {
  private static final int ENTRIES = 1_000;
  private static final int ENTRY_BYTES = 10; // at least: "key-7" and "value"

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void allCachesAreListedWithTheirSizes(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      assertThat(cluster.node(0).caches().join().caches()).isEmpty();
      cluster.node(0).cache("words", String.class, String.class).putAll(entries());
      cluster.node(nodes - 1).cache("numbers", Integer.class, Long.class).put(1, 2L);
      for (int asked = 0; asked < nodes; asked++) {
        CacheReport report = await(cluster.node(asked), CachesTest::isNoted);
        assertThat(report.missingNodes()).isEmpty();
        assertThat(report.caches())
            .extracting(CacheStatus::name)
            .containsExactly("numbers", "words");
        CacheStatus numbers = report.cache("numbers").orElseThrow();
        assertThat(numbers.entries()).isEqualTo(1);
        assertThat(numbers.keyFormat()).isEqualTo("int");
        assertThat(numbers.valueFormat()).isEqualTo("long");
        CacheStatus words = report.cache("words").orElseThrow();
        assertThat(words.entries()).isEqualTo(ENTRIES);
        assertThat(words.bytes()).isBetween(ENTRIES * 1L * ENTRY_BYTES, ENTRIES * 4L * ENTRY_BYTES);
        assertThat(words.replicaBytes()).isEqualTo(words.bytes() * Math.min(nodes, 2));
        assertThat(report.cache("nobody's")).isEmpty();
      }
    }
  }

  @Test
  void aClearedCacheIsThereAndEmpty() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      var words = cluster.node(0).cache("words", String.class, String.class);
      words.putAll(entries());
      words.clear();
      CacheReport report = await(cluster.node(0), CacheReport::complete);
      assertThat(report.cache("words").orElseThrow())
          .satisfies(status -> assertThat(status.entries()).isZero())
          .satisfies(status -> assertThat(status.replicaBytes()).isZero());
    }
  }

  @Test
  void aRemovedCacheIsForgottenAndItsNameIsFree() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      cluster.node(0).cache("words", String.class, String.class).putAll(entries());
      cluster.node(0).cache("others", String.class, String.class).put("key", "value");
      await(cluster.node(1), CachesTest::isNoted);
      cluster.node(1).destroy("words").join();
      CacheReport report = await(cluster.node(2), CacheReport::complete);
      assertThat(report.caches()).extracting(CacheStatus::name).containsExactly("others");
      var numbers = cluster.node(2).cache("words", Integer.class, Long.class);
      numbers.put(1, 2L);
      assertThat(cluster.node(0).cache("words", Integer.class, Long.class).get(1)).isEqualTo(2L);
      CacheReport again = await(cluster.node(0), CachesTest::isNoted);
      assertThat(again.cache("words").orElseThrow().keyFormat()).isEqualTo("int");
      assertThatThrownBy(() -> cluster.node(0).destroy("nobody's").join())
          .hasCauseInstanceOf(HeadraceException.class)
          .hasMessageContaining("There is no cache \"nobody's\"");
    }
  }

  /**
   * It would be noted with the cluster's first write, if the removal that finds nothing left it.
   */
  @Test
  void theNameOfACacheThatWasOpenedAndNeverWrittenIsFreeToo() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode node = cluster.node(0);
      node.cache("words", String.class, String.class);
      assertThatThrownBy(() -> node.destroy("words").join())
          .hasCauseInstanceOf(HeadraceException.class)
          .hasMessageContaining("There is no cache \"words\"");
      node.cache("words", Integer.class, Long.class).put(1, 2L);
      CacheReport report = await(node, caches -> isNoted(caches, "words"));
      assertThat(report.cache("words").orElseThrow().keyFormat()).isEqualTo("int");
    }
  }

  @Test
  void aNodeThatHoldsNothingAsksToo() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cluster.node(0).cache("words", String.class, String.class).putAll(entries());
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      CacheReport report = await(client, CacheReport::complete);
      assertThat(report.cache("words").orElseThrow().entries()).isEqualTo(ENTRIES);
    }
  }

  @Test
  void manyCachesComeInSeveralMessages() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      for (int cache = 0; cache < 1_200; cache++) {
        cluster.node(0).cache("cache-" + cache, String.class, String.class).put("a", "b");
      }
      CacheReport report = await(cluster.node(1), CacheReport::complete);
      assertThat(report.caches()).hasSize(1_200).allMatch(cache -> cache.entries() == 1);
    }
  }

  @Test
  void theSizesAreRightAgainWhenSegmentsHaveMoved() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cluster.node(0).cache("words", String.class, String.class).putAll(entries());
      cluster.start(settings -> settings);
      CacheReport report = await(cluster.node(0), CacheReport::complete);
      assertThat(report.cache("words").orElseThrow().entries()).isEqualTo(ENTRIES);
      cluster.node(1).close();
      report = await(cluster.node(0), CacheReport::complete);
      assertThat(report.cache("words").orElseThrow().entries()).isEqualTo(ENTRIES);
    }
  }

  @Test
  void aClosedNodeListsNothing() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode node = cluster.node(0);
      node.close();
      assertThatThrownBy(node::caches).isInstanceOf(NodeClosedException.class);
    }
  }

  private static boolean isNoted(CacheReport report) {
    return report.complete()
        && report.caches().size() == 2
        && report.caches().stream().allMatch(cache -> cache.keyFormat() != null);
  }

  private static boolean isNoted(CacheReport report, String cache) {
    return report.cache(cache).filter(status -> status.keyFormat() != null).isPresent();
  }

  private static CacheReport await(Headrace node, Predicate<CacheReport> condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    CacheReport report = node.caches().join();
    while (!condition.test(report)) {
      assertThat(System.nanoTime()).as("noted in time: %s", report).isLessThan(deadlineNanos);
      LockSupport.parkNanos(1_000_000);
      report = node.caches().join();
    }
    return report;
  }

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }
}
