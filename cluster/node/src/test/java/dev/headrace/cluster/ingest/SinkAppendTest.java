package dev.headrace.cluster.ingest;

import static dev.headrace.cluster.ingest.SinkCluster.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.PartitionView;
import dev.headrace.api.ingest.Partitioner;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Values without keys, and who chooses their segments. */
final class SinkAppendTest {
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
  void valuesWithoutKeysGetKeysOfTheirOwn() throws Exception {
    Cache<String, String> cache = cluster.cache();

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
      Cache<String, String> cache = cluster.cache();

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
  void appendedValuesMayHaveLifespansOfTheirOwn() throws Exception {
    Cache<String, String> cache = cluster.cache();

    IngestReport report =
        await(
            cache
                .sink()
                .lifespan(
                    entry -> {
                      assertThat(entry.getKey()).isNull();
                      return entry.getValue().equals("kept") ? Cache.FOREVER : Duration.ofHours(1);
                    })
                .append(Flowable.just("kept", "passing")));

    assertThat(report.written()).isEqualTo(2);
    cache
        .iterator()
        .forEachRemaining(
            entry ->
                assertThat(cache.getEntry(entry.getKey()).expiry() == null)
                    .as(entry.getValue())
                    .isEqualTo(entry.getValue().equals("kept")));
  }

  @Test
  void aLifespanThatIsNoneFailsItsValue() throws Exception {
    IngestReport report =
        await(
            cluster
                .cache()
                .sink()
                .lifespan(entry -> entry.getValue().equals("b") ? Duration.ZERO : Cache.FOREVER)
                .append(Flowable.just("a", "b", "c")));

    assertThat(report.written()).isEqualTo(2);
    assertThat(report.failedRecords().get(0).cause())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lifespan");
  }

  @Test
  void whatIsAboutPresentKeysIsRefusedForNewOnes() {
    CacheSink<String, String> sink = cluster.cache().sink();

    assertThatThrownBy(() -> sink.ifAbsent().append(Flowable.just("v")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ifAbsent");
    assertThatThrownBy(() -> sink.conflating().appender())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("conflating");
  }

  @Test
  void anRxJavaFlowOfValuesIsASourceToo() {
    Cache<String, String> cache = cluster.cache();

    IngestReport report =
        Flowable.range(0, 200)
            .map(i -> "v" + i)
            .compose(cache.sink().appendTransformer())
            .blockingSingle();

    assertThat(report.written()).isEqualTo(200);
    assertThat(cache.size()).isEqualTo(200);
  }

  /** Goes on to the next segment with each batch, and notes what it is told. */
  private static final class Noting implements Partitioner {
    private int present;
    private int newBatches;
    private long values;
    private long bytes;
    private boolean elsewhere;

    @Override
    public int segment(PartitionView view, int valueBytes) {
      return present % view.segments();
    }

    @Override
    public void onNewBatch(PartitionView view, int previous) {
      newBatches++;
      elsewhere |= previous != present % view.segments();
      present++;
    }

    @Override
    public void onAppended(PartitionView view, int segment, int recordBytes) {
      values++;
      bytes += recordBytes;
      elsewhere |= segment != present % view.segments();
    }
  }

  @Test
  void aPartitionerOfTheUserIsToldOfBatchesAndValues() throws Exception {
    Noting noting = new Noting();

    IngestReport report =
        await(
            cluster
                .cache()
                .sink()
                .partitioner(() -> noting)
                .batchBytes(1_000)
                .append(Flowable.range(0, 5_000).map(i -> "value-" + i)));

    assertThat(report.written()).isEqualTo(5_000);
    assertThat(noting.values).isEqualTo(5_000);
    assertThat(noting.newBatches).isBetween((int) (noting.bytes / 1_000), 5_000);
    assertThat(noting.elsewhere).as("told of segments that it has not chosen").isFalse();
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
          public int segment(PartitionView view, int bytes) {
            return switch (calls++) {
              case 0 -> throw new IllegalStateException("no idea");
              case 1 -> throw new LinkageError("half of the classes are missing");
              default -> view.segments();
            };
          }
        };

    IngestReport report =
        await(cluster.cache().sink().partitioner(() -> wrong).append(Flowable.just("a", "b", "c")));

    assertThat(report.failedRecords().get(0).cause()).hasMessage("no idea");
    assertThat(report.failedRecords().get(1).cause()).isInstanceOf(LinkageError.class);
    assertThat(report.failedRecords().get(2).cause()).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
