package dev.headrace.cluster.ingest;

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
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.NodeIngest;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.ingest.batch.DemandWindow;
import dev.headrace.cluster.node.TestCluster;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.PublishProcessor;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

class SinkTest {
  private static final long PATIENCE_SECONDS = 60;

  private static TestCluster cluster;
  private static int caches;

  @BeforeAll
  static void start() {
    cluster = TestCluster.of(3, settings -> settings.maxEntryBytes(4096));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Cache<String, String> cache() {
    return cluster.node(0).cache("sink-" + caches++, String.class, String.class);
  }

  private static IngestReport await(CompletableFuture<IngestReport> report) throws Exception {
    return report.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static IngestException failure(CompletableFuture<IngestReport> report) throws Exception {
    try {
      await(report);
    } catch (ExecutionException e) {
      return (IngestException) e.getCause();
    }
    throw new AssertionError("the load has not failed");
  }

  private static Flowable<Map.Entry<String, String>> entries(int count) {
    return Flowable.range(0, count).map(i -> Map.entry("key-" + i, "value-" + i));
  }

  // ---- Entries

  @Test
  void everyEntryOfASourceIsThereWhenTheReportIs() throws Exception {
    Cache<String, String> cache = cache();

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
    IngestReport report = await(cache().sink().batchBytes(2_000).load(entries(20_000)));

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
  void theWritesOfAKeyHappenInTheOrderOfTheSource() throws Exception {
    Cache<String, String> cache = cache();
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
    Cache<String, String> cache = cache();
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
    Cache<String, String> cache = cache();
    cache.put("key-3", "before");

    IngestReport report = await(cache.sink().ifAbsent().load(entries(10)));

    assertThat(report.written()).isEqualTo(9);
    assertThat(report.total().present()).isEqualTo(1);
    assertThat(cache.get("key-3")).isEqualTo("before");
  }

  @Test
  void everyEntryMayHaveALifespanOfItsOwn() throws Exception {
    Cache<String, String> cache = cache();

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
    Cache<String, String> cache = cache();

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
    Cache<String, String> from = cache();
    Cache<String, String> to = cluster.node(1).cache("copy", String.class, String.class);
    await(from.load(entries(5_000)));

    IngestReport report = await(to.load(from.stream().entries()));

    assertThat(report.written()).isEqualTo(5_000);
    assertThat(to.size()).isEqualTo(5_000);
  }

  @Test
  void anEmptySourceMakesAnEmptyReport() throws Exception {
    IngestReport report = await(cache().load(Flowable.empty()));

    assertThat(report.total()).isEqualTo(IngestProgress.NONE);
    assertThat(report.complete()).isTrue();
  }

  // ---- Pace

  @Test
  void theSourceIsAskedForNoMoreThanFitsIntoMemory() throws Exception {
    AtomicLong asked = new AtomicLong();
    AtomicLong most = new AtomicLong();
    AtomicReference<SinkSubscriber<Map.Entry<String, String>>> sink = new AtomicReference<>();
    Flowable<Map.Entry<String, String>> source =
        entries(30_000)
            .doOnRequest(asked::addAndGet)
            .doOnNext(entry -> most.accumulateAndGet(sink.get().progress().heldBytes(), Math::max));
    sink.set(cache().sink().memoryBytes(50_000).subscriber());

    source.subscribe(sink.get());
    IngestReport report = await(sink.get().report());

    assertThat(report.written()).isEqualTo(30_000);
    assertThat(most.get()).isLessThanOrEqualTo(50_000);
    assertThat(asked.get()).isBetween(30_000L, 30_000L + DemandWindow.MAX_REQUESTED);
  }

  @Test
  void aBatchThatIsNotFullLeavesWhenItHasLingered() throws Exception {
    Cache<String, String> cache = cache();
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
    IngestReport report = await(cache().sink().linger(Duration.ofDays(1)).load(entries(10)));

    assertThat(report.written()).isEqualTo(10);
  }

  @Test
  void progressIsToldWhileThereIsAnyAndAtTheEnd() throws Exception {
    List<IngestProgress> told = new ArrayList<>();

    IngestReport report =
        await(cache().sink().progress(Duration.ofNanos(1), told::add).load(entries(3_000)));

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

    await(cache().sink().conflating().recordEnded(ended::add).load(source));

    assertThat(ended)
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 1_000).boxed().toList());
  }

  // ---- What goes wrong

  @Test
  void whatCannotBeWrittenIsReportedAndTheOthersGoOn() throws Exception {
    Cache<String, String> cache = cache();
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
  void aRecordWithoutAKeyOrValueIsReported() throws Exception {
    Flowable<Map.Entry<String, String>> source =
        Flowable.just(
            new java.util.AbstractMap.SimpleEntry<>(null, "v"),
            new java.util.AbstractMap.SimpleEntry<>("k", null),
            Map.entry("other", "v"));

    IngestReport report = await(cache().load(source));

    assertThat(report.written()).isEqualTo(1);
    assertThat(report.failedRecords().stream().map(FailedRecord::cause))
        .allMatch(cause -> cause instanceof NullPointerException)
        .hasSize(2);
  }

  @Test
  void onlySoManyFailedRecordsAreNamed() throws Exception {
    Flowable<Map.Entry<String, String>> source =
        Flowable.range(0, 50).map(i -> Map.entry("key-" + i, "x".repeat(5_000)));

    IngestReport report = await(cache().sink().failedRecords(3).load(source));

    assertThat(report.failed()).isEqualTo(50);
    assertThat(report.failedRecords()).hasSize(3);
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
  void theFirstFailureEndsTheLoadIfThatIsWanted() throws Exception {
    Cache<String, String> cache = cache();
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
    Cache<String, String> cache = cache();
    Exception cause = new Exception("the file has ended early");

    IngestException failure = failure(cache.load(entries(500).concatWith(Flowable.error(cause))));

    assertThat(failure).hasCause(cause).hasMessageContaining("500 were written");
    assertThat(failure.report().written()).isEqualTo(500);
    assertThat(cache.size()).isEqualTo(500);
  }

  @Test
  void aSecondSubscriptionIsCancelled() throws Exception {
    SinkSubscriber<Map.Entry<String, String>> sink = cache().sink().subscriber();
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
    Cache<String, String> cache = cache();
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

    cache().load(source.doOnCancel(cancelled::countDown)).cancel(false);

    assertThat(cancelled.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aListenerThatThrowsEndsTheLoad() throws Exception {
    IllegalStateException thrown = new IllegalStateException("no paper");

    IngestException failure =
        failure(
            cache()
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
    try (TestCluster own = TestCluster.of(1)) {
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
    CacheSink<String, String> sink = cache().sink();

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

  // ---- Values without keys

  @Test
  void valuesWithoutKeysGetKeysOfTheirOwn() throws Exception {
    Cache<String, String> cache = cache();

    IngestReport first = await(cache.append(Flowable.range(0, 3_000).map(i -> "v" + i)));
    IngestReport second = await(cache.append(Flowable.range(0, 3_000).map(i -> "w" + i)));

    assertThat(first.written()).isEqualTo(3_000);
    assertThat(second.written()).isEqualTo(3_000);
    assertThat(cache.size()).isEqualTo(6_000);
    assertThat(cache.asMap().values()).contains("v0", "w2999");
  }

  @Test
  void everyPartitionerWritesEverything() throws Exception {
    List<Partitioner> partitioners =
        List.of(
            Partitioner.roundRobin(),
            Partitioner.sticky(),
            Partitioner.uniformSticky(),
            Partitioner.adaptiveSticky());
    for (Partitioner partitioner : partitioners) {
      Cache<String, String> cache = cache();

      IngestReport report =
          await(
              cache
                  .sink()
                  .partitioner(() -> partitioner)
                  .batchBytes(1_000)
                  .append(Flowable.range(0, 5_000).map(i -> "value-" + i)));

      assertThat(report.written()).isEqualTo(5_000);
      assertThat(cache.size()).isEqualTo(5_000);
    }
  }

  @Test
  void keysMayBeMadeByTheUser() throws Exception {
    Cache<Long, String> cache = cluster.node(0).cache("numbers", Long.class, String.class);

    IngestReport report =
        await(
            cache
                .sink()
                .appendedKeys(family -> number -> number * 10)
                .append(Flowable.range(0, 500).map(i -> "v" + i)));

    assertThat(report.written()).isEqualTo(500);
    assertThat(cache.asMap().keySet()).allMatch(key -> key % 10 == 0).hasSize(500);
  }

  @Test
  void textsAreNoKeysOfACacheWithOtherKeys() throws Exception {
    Cache<Long, String> cache = cluster.node(0).cache("other", Long.class, String.class);

    IngestReport report = await(cache.append(Flowable.just("v")));

    assertThat(report.failedRecords().get(0).cause()).isInstanceOf(ClassCastException.class);
  }

  @Test
  void aPartitionerThatThrowsOrChoosesNoSegmentFailsItsRecords() throws Exception {
    Partitioner wrong =
        new Partitioner() {
          private int calls;

          @Override
          public int segment(dev.headrace.api.ingest.PartitionView view, int bytes) {
            if (calls++ % 2 == 0) {
              throw new IllegalStateException("no idea");
            }
            return view.segments();
          }
        };

    IngestReport report =
        await(cache().sink().partitioner(() -> wrong).append(Flowable.just("a", "b")));

    assertThat(report.failedRecords().get(0).cause()).hasMessage("no idea");
    assertThat(report.failedRecords().get(1).cause()).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void sourcesOnManyThreadsLoadOneCache() throws Exception {
    Cache<String, String> cache = cache();

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
