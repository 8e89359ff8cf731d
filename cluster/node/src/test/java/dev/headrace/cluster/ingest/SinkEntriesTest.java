package dev.headrace.cluster.ingest;

import static dev.headrace.cluster.ingest.SinkCluster.await;
import static dev.headrace.cluster.ingest.SinkCluster.entries;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.NodeIngest;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Entries of a source in a cache: all of them, in order, as the settings want them. */
final class SinkEntriesTest {
  private static SinkCluster cluster;

  @BeforeAll
  static void start() {
    cluster = new SinkCluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void everyEntryOfASourceIsThereWhenTheReportIs() throws Exception {
    Cache<String, String> cache = cluster.cache();

    IngestReport report = await(cache.load(entries(20_000)));

    assertThat(report.complete()).isTrue();
    assertThat(report.written()).isEqualTo(20_000);
    assertThat(report.failed()).isZero();
    assertThat(report.total().received()).isEqualTo(20_000);
    assertThat(report.total().heldBytes()).isZero();
    assertThat(report.total().ended()).isEqualTo(20_000);
    assertThat(cache.size()).isEqualTo(20_000);
    assertThat(cache.get("key-777")).isEqualTo("value-777");
  }

  @Test
  void batchesGoToEveryNodeAndAreCounted() throws Exception {
    IngestReport report = await(cluster.cache().sink().batchBytes(2_000).load(entries(20_000)));

    List<NodeIngest> nodes = report.total().nodes();
    assertThat(nodes).hasSize(3);
    assertThat(nodes.stream().mapToLong(NodeIngest::entries).sum()).isEqualTo(20_000);
    assertThat(nodes.stream().map(NodeIngest::node))
        .containsExactlyInAnyOrder("node-0", "node-1", "node-2");
    for (NodeIngest node : nodes) {
      assertThat(node.batches()).isPositive().isLessThan(node.entries());
      assertThat(node.fill()).isBetween(0.0, 1.0);
      assertThat(node.waitingBatches()).isZero();
      assertThat(node.inFlightBytes()).isZero();
      assertThat(node.answerNanos()).isPositive();
    }
  }

  @Test
  void ofManyKeysInASegmentThoseThatArePresentAreLeftAndCounted() throws Exception {
    Cache<String, String> cache = cluster.cache();
    await(cache.load(entries(6_000).filter(entry -> isThird(entry.getKey()))));

    IngestReport report =
        await(
            cache
                .sink()
                .ifAbsent()
                .load(entries(6_000).map(entry -> Map.entry(entry.getKey(), "later"))));

    assertThat(report.written()).isEqualTo(4_000);
    assertThat(report.total().present()).isEqualTo(2_000);
    for (int i = 0; i < 6_000; i++) {
      assertThat(cache.get("key-" + i)).isEqualTo(isThird("key-" + i) ? "value-" + i : "later");
    }
  }

  private static boolean isThird(String key) {
    return Integer.parseInt(key.substring("key-".length())) % 3 == 0;
  }

  @Test
  void theWritesOfAKeyHappenInTheOrderOfTheSource() throws Exception {
    Cache<String, String> cache = cluster.cache();
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 5_000).map(i -> Map.entry("key-" + i % 7, "value-" + i));

    IngestReport report = await(cache.load(source));

    assertThat(report.written()).isEqualTo(5_000);
    for (int i = 4_993; i < 5_000; i++) {
      assertThat(cache.get("key-" + i % 7)).isEqualTo("value-" + i);
    }
  }

  @Test
  void ofEntriesOfAKeyThatWaitTheLastIsWrittenIfTheyAreConflated() throws Exception {
    Cache<String, String> cache = cluster.cache();
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 5_000).map(i -> Map.entry("key-" + i % 7, "value-" + i));

    IngestReport report = await(cache.sink().conflating().load(source));

    assertThat(report.total().conflated()).isPositive();
    assertThat(report.written() + report.total().conflated()).isEqualTo(5_000);
    assertThat(report.total().heldBytes()).isZero();
    for (int i = 4_993; i < 5_000; i++) {
      assertThat(cache.get("key-" + i % 7)).isEqualTo("value-" + i);
    }
  }

  @Test
  void keysThatArePresentStayAsTheyAreIfOnlyAbsentOnesAreWritten() throws Exception {
    Cache<String, String> cache = cluster.cache();
    cache.put("key-3", "before");

    IngestReport report = await(cache.sink().ifAbsent().load(entries(10)));

    assertThat(report.written()).isEqualTo(9);
    assertThat(report.total().present()).isEqualTo(1);
    assertThat(cache.get("key-3")).isEqualTo("before");
  }

  @Test
  void everyEntryMayHaveALifespanOfItsOwn() throws Exception {
    Cache<String, String> cache = cluster.cache();

    await(
        cache
            .sink()
            .lifespan(entry -> entry.getKey().equals("key-1") ? Cache.FOREVER : Duration.ofHours(1))
            .load(entries(2)));

    assertThat(cache.getEntry("key-0").expiry()).isNotNull();
    assertThat(cache.getEntry("key-1").expiry()).isNull();
  }

  @Test
  void aFlowPublisherAndAnRxJavaFlowAreSourcesToo() throws Exception {
    Cache<String, String> cache = cluster.cache();

    IngestReport report =
        await(
            cache.sink().loadFlow(org.reactivestreams.FlowAdapters.toFlowPublisher(entries(100))));
    IngestReport composed = entries(200).compose(cache.sink().transformer()).blockingSingle();

    assertThat(report.written()).isEqualTo(100);
    assertThat(composed.written()).isEqualTo(200);
    assertThat(cache.size()).isEqualTo(200);
  }

  @Test
  void aStreamOfOneCacheLoadsAnother() throws Exception {
    Cache<String, String> from = cluster.cache();
    Cache<String, String> to = cluster.node(1).cache("copy", String.class, String.class);
    await(from.load(entries(5_000)));

    IngestReport report = await(to.load(from.stream().entries()));

    assertThat(report.written()).isEqualTo(5_000);
    assertThat(to.size()).isEqualTo(5_000);
  }

  @Test
  void anEmptySourceMakesAnEmptyReport() throws Exception {
    IngestReport report = await(cluster.cache().load(Flowable.empty()));

    assertThat(report.total()).isEqualTo(IngestProgress.NONE);
    assertThat(report.complete()).isTrue();
  }

  @Test
  void sourcesOnManyThreadsLoadOneCache() throws Exception {
    Cache<String, String> cache = cluster.cache();

    List<CompletableFuture<IngestReport>> reports =
        IntStream.range(0, 4)
            .mapToObj(
                part ->
                    cache.load(
                        Flowable.range(0, 2_000)
                            .map(i -> Map.entry(part + "-" + i, "v"))
                            .subscribeOn(Schedulers.computation())
                            .observeOn(Schedulers.computation())))
            .toList();
    for (CompletableFuture<IngestReport> report : reports) {
      assertThat(await(report).written()).isEqualTo(2_000);
    }

    assertThat(cache.size()).isEqualTo(8_000);
  }
}
