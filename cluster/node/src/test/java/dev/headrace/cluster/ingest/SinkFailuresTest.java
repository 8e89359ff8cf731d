package dev.headrace.cluster.ingest;

import static dev.headrace.cluster.ingest.SinkCluster.await;
import static dev.headrace.cluster.ingest.SinkCluster.entries;
import static dev.headrace.cluster.ingest.SinkCluster.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.node.NodeCluster;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.PublishProcessor;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** Records, sources and listeners that fail, cancellation, and wrong settings. */
final class SinkFailuresTest {
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
  void whatCannotBeWrittenIsReportedAndTheOthersGoOn() throws Exception {
    Cache<String, String> cache = cluster.cache();
    Flowable<Map.Entry<String, String>> source =
        entries(100)
            .map(
                entry ->
                    entry.getKey().equals("key-7") ? Map.entry("key-7", "x".repeat(5_000)) : entry);

    IngestReport report = await(cache.load(source));

    assertThat(report.written()).isEqualTo(99);
    assertThat(report.failed()).isEqualTo(1);
    FailedRecord failed = report.failedRecords().get(0);
    assertThat(failed.key()).isEqualTo("key-7");
    assertThat(failed.cause()).isInstanceOf(EntryTooLargeException.class);
    assertThat(cache.containsKey("key-7")).isFalse();
  }

  @Test
  void aKeyThatIsTooLargeIsReportedAndTheOthersGoOn() throws Exception {
    String key = "k".repeat(5_000);

    IngestReport report =
        await(cluster.cache().load(Flowable.just(Map.entry(key, "v"), Map.entry("k", "v"))));

    assertThat(report.written()).isEqualTo(1);
    FailedRecord failed = report.failedRecords().get(0);
    assertThat(failed.key()).isEqualTo(key);
    assertThat(failed.cause()).isInstanceOf(EntryTooLargeException.class);
  }

  @Test
  void aRecordWithoutAKeyOrValueIsReported() throws Exception {
    Flowable<Map.Entry<String, String>> source =
        Flowable.just(
            new java.util.AbstractMap.SimpleEntry<>(null, "v"),
            new java.util.AbstractMap.SimpleEntry<>("k", null),
            Map.entry("other", "v"));

    IngestReport report = await(cluster.cache().load(source));

    assertThat(report.written()).isEqualTo(1);
    assertThat(report.failedRecords().stream().map(FailedRecord::cause))
        .allMatch(cause -> cause instanceof NullPointerException)
        .hasSize(2);
  }

  @Test
  void onlySoManyFailedRecordsAreNamed() throws Exception {
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 50).map(i -> Map.entry("key-" + i, "x".repeat(5_000)));

    IngestReport report = await(cluster.cache().sink().failedRecords(3).load(source));

    assertThat(report.failed()).isEqualTo(50);
    assertThat(report.failedRecords()).hasSize(3);
  }

  @Test
  void eachFailedRecordIsToldByItsNumberBeforeItHasEnded() throws Exception {
    List<Long> failed = new ArrayList<>();
    List<Long> ended = new ArrayList<>();
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 50).map(i -> Map.entry("key-" + i, i % 2 == 0 ? "v" : "x".repeat(5_000)));

    IngestReport report =
        await(
            cluster
                .cache()
                .sink()
                .failedRecords(1)
                .recordFailed(
                    record -> {
                      assertThat(record.key()).isEqualTo("key-" + record.number());
                      assertThat(record.cause()).isInstanceOf(EntryTooLargeException.class);
                      assertThat(ended).doesNotContain(record.number());
                      failed.add(record.number());
                    })
                .recordEnded(ended::add)
                .load(source));

    assertThat(report.failed()).isEqualTo(25);
    assertThat(report.failedRecords()).hasSize(1);
    assertThat(failed).hasSize(25).doesNotHaveDuplicates().allMatch(number -> number % 2 == 1);
    assertThat(ended).hasSize(50);
  }

  @Test
  void aListenerForFailedRecordsThatThrowsEndsTheLoad() throws Exception {
    IllegalStateException thrown = new IllegalStateException("no paper");

    IngestException failure =
        failure(
            cluster
                .cache()
                .sink()
                .recordFailed(
                    record -> {
                      throw thrown;
                    })
                .load(Flowable.just(Map.entry("k", "x".repeat(5_000)))));

    assertThat(failure).hasCause(thrown);
  }

  @Test
  void aCodecThatThrowsFailsItsRecordOnly() throws Exception {
    Codec<String> moody =
        new Codec<>() {
          private final Codec<String> text = Codecs.of(String.class);

          @Override
          public void encode(String value, ByteOutput out) {
            if (value.endsWith("5")) {
              throw new IllegalStateException("not in the mood");
            }
            text.encode(value, out);
          }

          @Override
          public String decode(ByteInput in) {
            return text.decode(in);
          }

          @Override
          public String format() {
            return text.format();
          }
        };
    Cache<String, String> cache =
        cluster.node(0).cache(new CacheSettings<>("moody", Codecs.of(String.class), moody));

    IngestReport report = await(cache.load(entries(10)));

    assertThat(report.written()).isEqualTo(9);
    assertThat(report.failedRecords().get(0).key()).isEqualTo("key-5");
    assertThat(report.failedRecords().get(0).cause()).isInstanceOf(CodecException.class);
  }

  @Test
  void anErrorOfUserCodeFailsItsRecordOnly() throws Exception {
    Cache<String, String> cache = cluster.cache();
    IngestReport report =
        await(
            cache
                .sink()
                .lifespan(
                    entry -> {
                      if (entry.getKey().endsWith("5")) {
                        throw new LinkageError("half of the classes are missing");
                      }
                      return Duration.ofMinutes(5);
                    })
                .load(entries(10)));

    assertThat(report.complete()).isTrue();
    assertThat(report.written()).isEqualTo(9);
    assertThat(report.failedRecords().get(0).key()).isEqualTo("key-5");
    assertThat(report.failedRecords().get(0).cause()).isInstanceOf(LinkageError.class);
  }

  @Test
  void aKeyThatCannotEvenBeNamedFailsItsRecordOnly() throws Exception {
    Map.Entry<String, String> broken =
        new AbstractMap.SimpleImmutableEntry<>("", "") {
          @Override
          public String getKey() {
            throw new LinkageError("half of the classes are missing");
          }
        };

    IngestReport report = await(cluster.cache().load(entries(3).concatWith(Flowable.just(broken))));

    assertThat(report.written()).isEqualTo(3);
    assertThat(report.failedRecords().get(0).key()).isNull();
    assertThat(report.failedRecords().get(0).cause()).isInstanceOf(LinkageError.class);
  }

  @Test
  void theFirstFailureEndsTheLoadIfThatIsWanted() throws Exception {
    Cache<String, String> cache = cluster.cache();
    AtomicLong cancelled = new AtomicLong();
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 100_000)
            .map(i -> Map.entry("key-" + i, i == 500 ? "x".repeat(5_000) : "v"))
            .doOnCancel(cancelled::incrementAndGet);

    IngestException failure = failure(cache.sink().stopAtFirstFailure().load(source));

    assertThat(failure).hasCauseInstanceOf(EntryTooLargeException.class);
    assertThat(failure.report().complete()).isFalse();
    assertThat(failure.report().written()).isBetween(500L, 99_999L);
    assertThat(cache.size()).isEqualTo(failure.report().written());
    assertThat(cancelled.get()).isEqualTo(1);
  }

  @Test
  void whatASourceHasSentBeforeItFailsIsWrittenAndReported() throws Exception {
    Cache<String, String> cache = cluster.cache();
    Exception cause = new Exception("the file has ended early");

    IngestException failure = failure(cache.load(entries(500).concatWith(Flowable.error(cause))));

    assertThat(failure).hasCause(cause).hasMessageContaining("500 were written");
    assertThat(failure.report().written()).isEqualTo(500);
    assertThat(cache.size()).isEqualTo(500);
  }

  @Test
  void aSecondSubscriptionIsCancelled() throws Exception {
    SinkSubscriber<Map.Entry<String, String>> sink = cluster.cache().sink().subscriber();
    AtomicLong cancelled = new AtomicLong();
    entries(10).subscribe(sink);

    sink.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {
            throw new AssertionError("it must not be asked");
          }

          @Override
          public void cancel() {
            cancelled.incrementAndGet();
          }
        });

    assertThat(cancelled.get()).isEqualTo(1);
    assertThat(await(sink.report()).written()).isEqualTo(10);
  }

  @Test
  void whatWasReceivedBeforeACancellationIsWrittenAndReported() throws Exception {
    Cache<String, String> cache = cluster.cache();
    PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
    SinkSubscriber<Map.Entry<String, String>> sink =
        cache.sink().linger(Duration.ofDays(1)).subscriber();
    source.subscribe(sink);
    source.onNext(Map.entry("k", "v"));

    sink.cancel();
    IngestReport report = await(sink.report());

    assertThat(report.complete()).isFalse();
    assertThat(report.written()).isEqualTo(1);
    assertThat(source.hasSubscribers()).isFalse();
    assertThat(cache.get("k")).isEqualTo("v");
  }

  @Test
  void cancellingTheReportCancelsTheSource() throws Exception {
    PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
    CountDownLatch cancelled = new CountDownLatch(1);

    cluster.cache().load(source.doOnCancel(cancelled::countDown)).cancel(false);

    assertThat(cancelled.await(SinkCluster.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aListenerThatThrowsEndsTheLoad() throws Exception {
    IllegalStateException thrown = new IllegalStateException("no paper");

    IngestException failure =
        failure(
            cluster
                .cache()
                .sink()
                .progress(
                    Duration.ofNanos(1),
                    progress -> {
                      throw thrown;
                    })
                .load(entries(10_000)));

    assertThat(failure).hasCause(thrown);
  }

  @Test
  void aClosedNodeEndsItsLoads() throws Exception {
    try (NodeCluster own = NodeCluster.of(1)) {
      Cache<String, String> cache = own.node(0).cache("c", String.class, String.class);
      PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
      CompletableFuture<IngestReport> report = cache.load(source);

      own.node(0).close();

      assertThat(failure(report)).hasCauseInstanceOf(NodeClosedException.class);
      assertThat(source.hasSubscribers()).isFalse();
    }
  }

  @Test
  void nullsAndValuesOutOfRangeAreRefused() {
    CacheSink<String, String> sink = cluster.cache().sink();

    assertThatThrownBy(() -> sink.batchBytes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batchBytes is 0; it must be at least 1");
    assertThatThrownBy(() -> sink.memoryBytes(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sink.linger(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sink.failedRecords(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sink.progress(Duration.ZERO, progress -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sink.executor(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> sink.subscriber().onSubscribe(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> sink.subscriber().onNext(null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> sink.subscriber().onError(null))
        .isInstanceOf(NullPointerException.class);
  }
}
