package dev.headrace.micrometer;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.cluster.node.NodeCluster;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.reactivex.rxjava3.core.Flowable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a registry of observations hears of streams. */
@Timeout(120)
final class HeadraceObservationsTest {
  private static final int ENTRIES = 500;
  private static final String STREAM = "headrace.stream";
  private static final String BATCH = "headrace.stream.batch";

  private static NodeCluster cluster;
  private static Cache<String, String> cache;

  private final TestObservationRegistry registry = TestObservationRegistry.create();
  private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();

  @BeforeEach
  void collect() {
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public void onStop(Observation.Context context) {
                stopped.add(context);
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
  }

  @BeforeAll
  static void start() throws Exception {
    cluster = NodeCluster.of(2);
    cache = cluster.node(0).cache("observed", String.class, String.class);
    cache
        .load(Flowable.range(0, ENTRIES).map(i -> Map.entry("key-" + i, "value")))
        .get(60, TimeUnit.SECONDS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private HeadraceObservations observing() {
    return new HeadraceObservations(cluster.node(0), registry);
  }

  private static long streamed() {
    return cache.stream().batchSize(64).entries().toFlowable().count().blockingGet();
  }

  @Test
  void aStreamIsAChildOfWhatIsCurrentAndHasItsBatchesAsChildren() {
    Observation job = Observation.start("job", registry);
    try (HeadraceObservations observations = observing();
        Observation.Scope scope = job.openScope()) {
      assertThat(streamed()).isEqualTo(ENTRIES);
    }
    job.stop();

    assertThat(registry)
        .hasNumberOfObservationsWithNameEqualTo(STREAM, 1)
        .hasObservationWithNameEqualTo(STREAM)
        .that()
        .hasBeenStarted()
        .hasBeenStopped()
        .doesNotHaveError()
        .hasContextualNameEqualTo("stream observed")
        .hasParentObservationEqualTo(job)
        .hasLowCardinalityKeyValue("cache", "observed")
        .hasLowCardinalityKeyValue("outcome", "complete")
        .hasHighCardinalityKeyValue("elements", Integer.toString(ENTRIES));
    assertThat(registry)
        .hasAnObservationWithAKeyValue("node", cluster.node(0).settings().nodeName());
    assertThat(stopped)
        .filteredOn(context -> BATCH.equals(context.getName()))
        .isNotEmpty()
        .allSatisfy(HeadraceObservationsTest::assertIsBatch);
  }

  private static void assertIsBatch(Observation.Context batch) {
    assertThat(values(batch.getLowCardinalityKeyValues()))
        .containsEntry("cache", "observed")
        .containsEntry("outcome", "received")
        .containsKey("node");
    assertThat(values(batch.getHighCardinalityKeyValues())).containsKeys("entries", "bytes");
    ObservationView parent = batch.getParentObservation();
    assertThat(parent).isNotNull();
    assertThat(parent.getContextView().getName()).isEqualTo(STREAM);
  }

  private static Map<String, String> values(KeyValues all) {
    return all.stream().collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
  }

  @Test
  void aConsumerThatHasEnoughCancels() {
    try (HeadraceObservations observations = observing()) {
      assertThat(cache.stream().keys().toFlowable().take(3).count().blockingGet()).isEqualTo(3);
    }
    assertThat(registry)
        .hasObservationWithNameEqualTo(STREAM)
        .that()
        .hasBeenStopped()
        .hasLowCardinalityKeyValue("outcome", "cancelled")
        .hasHighCardinalityKeyValue("elements", "3");
  }

  @Test
  void aStreamThatFailsHasTheError() {
    IllegalStateException refused = new IllegalStateException("refused");
    StreamListener refusing =
        new StreamListener() {
          @Override
          public void batchReceived(String node, int entries, long bytes) {
            throw refused;
          }
        };
    try (HeadraceObservations observations = observing()) {
      var ended =
          cache.stream()
              .listener(refusing)
              .entries()
              .toFlowable()
              .test()
              .awaitDone(60, TimeUnit.SECONDS);
      ended.assertError(refused);
    }
    assertThat(registry)
        .hasObservationWithNameEqualTo(STREAM)
        .that()
        .hasBeenStopped()
        .hasError(refused)
        .hasLowCardinalityKeyValue("outcome", "failed");
  }

  @Test
  void nobodyHearsOfStreamsAfterItIsClosed() {
    observing().close();
    assertThat(streamed()).isEqualTo(ENTRIES);
    assertThat(registry).doesNotHaveAnyObservation();
  }
}
