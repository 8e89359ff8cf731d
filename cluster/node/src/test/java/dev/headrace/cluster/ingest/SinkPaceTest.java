package dev.headrace.cluster.ingest;

import static dev.headrace.cluster.ingest.SinkCluster.await;
import static dev.headrace.cluster.ingest.SinkCluster.entries;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.ingest.batch.DemandWindow;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.PublishProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** When batches leave, when the source is asked, and what is told meanwhile. */
final class SinkPaceTest {
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
  void theSourceIsAskedForNoMoreThanFitsIntoMemory() throws Exception {
    AtomicLong asked = new AtomicLong();
    AtomicLong most = new AtomicLong();
    AtomicReference<SinkSubscriber<Map.Entry<String, String>>> sink = new AtomicReference<>();
    Flowable<Map.Entry<String, String>> source =
        entries(30_000)
            .doOnRequest(asked::addAndGet)
            .doOnNext(entry -> most.accumulateAndGet(sink.get().progress().heldBytes(), Math::max));
    sink.set(cluster.cache().sink().memoryBytes(50_000).subscriber());

    source.subscribe(sink.get());
    IngestReport report = await(sink.get().report());

    assertThat(report.written()).isEqualTo(30_000);
    assertThat(most.get()).isLessThanOrEqualTo(50_000);
    assertThat(asked.get()).isBetween(30_000L, 30_000L + DemandWindow.MAX_REQUESTED);
  }

  @Test
  void aBatchThatIsNotFullLeavesWhenItHasLingered() throws Exception {
    Cache<String, String> cache = cluster.cache();
    PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
    CompletableFuture<IngestReport> report =
        cache.sink().linger(Duration.ofMillis(50)).load(source);

    source.onNext(Map.entry("k", "v"));
    while (cache.get("k") == null) {
      Thread.onSpinWait();
    }
    source.onComplete();

    assertThat(await(report).total().nodes().get(0).lingerNanos()).isGreaterThan(49_000_000);
  }

  @Test
  void theEndOfTheSourceIsTheEndOfLingering() throws Exception {
    IngestReport report =
        await(cluster.cache().sink().linger(Duration.ofDays(1)).load(entries(10)));

    assertThat(report.written()).isEqualTo(10);
  }

  @Test
  void progressIsToldWhileThereIsAnyAndAtTheEnd() throws Exception {
    List<IngestProgress> told = new ArrayList<>();

    IngestReport report =
        await(cluster.cache().sink().progress(Duration.ofNanos(1), told::add).load(entries(3_000)));

    assertThat(told).hasSizeGreaterThan(1);
    assertThat(told.get(told.size() - 1)).isEqualTo(report.total());
    assertThat(told).isSortedAccordingTo((a, b) -> Long.compare(a.ended(), b.ended()));
  }

  @Test
  void theEndOfEachRecordIsToldByItsNumber() throws Exception {
    List<Long> ended = new ArrayList<>();
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 1_000)
            .map(i -> Map.entry("key-" + i % 50, i == 7 ? "x".repeat(5_000) : "v"));

    await(cluster.cache().sink().conflating().recordEnded(ended::add).load(source));

    assertThat(ended)
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 1_000).boxed().toList());
  }
}
