package dev.headrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.stream.Change;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.guide.GuideSnippets;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;

/** The figures of a real node, and the page that lists them. */
final class HeadraceMetricsTest {
  /** A row of the page: name, unit, tags. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(headrace\\.[a-z.]+)` \\| (\\w+) \\| ([^|]*?) ?\\| .+ \\|$");

  private static NodeCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = NodeCluster.of(2);
    Cache<String, String> cache = cluster.node(0).cache("measured", String.class, String.class);
    cache
        .load(Flowable.range(0, 500).map(i -> Map.entry("key-" + i, "value")))
        .get(60, TimeUnit.SECONDS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static HeadraceMetrics bound(MeterRegistry registry) throws Exception {
    HeadraceMetrics metrics = new HeadraceMetrics(cluster.node(0));
    metrics.bindTo(registry);
    awaitSizes(metrics, registry);
    return metrics;
  }

  /** Nodes that hand segments over while they count are asked again. */
  private static void awaitSizes(HeadraceMetrics metrics, MeterRegistry registry) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (registry.find("headrace.cache.entries").gauge() == null) {
      assertThat(System.nanoTime() - deadlineNanos).isNegative();
      metrics.refresh().get(60, TimeUnit.SECONDS);
      Thread.onSpinWait();
    }
  }

  @Test
  void aRegistryHasTheFiguresOfTheNode() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (HeadraceMetrics metrics = bound(registry)) {
      assertThat(registry.get("headrace.cluster.members").gauge().value()).isEqualTo(2);
      assertThat(registry.get("headrace.cluster.segments").gauge().value()).isEqualTo(256);
      assertThat(registry.get("headrace.cache.entries").tag("cache", "measured").gauge().value())
          .isEqualTo(500);
      double sent =
          registry.get("headrace.ingest.entries").functionCounters().stream()
              .mapToDouble(counter -> counter.count())
              .sum();
      assertThat(sent).isEqualTo(500);
      assertThat(metrics.refresh()).as("not asked for again so soon").isDone();
    }
  }

  @Test
  void operationsAreTimedAndReadsOfOwnReplicasCounted() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    // Opened before, since a note of the catalogue counts, too.
    Cache<String, String> cache = cluster.node(0).cache("timed", String.class, String.class);
    try (HeadraceMetrics metrics = bound(registry)) {
      for (int i = 0; i < 100; i++) {
        cache.put("key-" + i, "value");
        assertThat(cache.get("key-" + i)).isEqualTo("value");
      }
      assertThat(cache.putIfAbsent("key-0", "other")).isFalse();

      assertThat(timer(registry, "put").count()).isEqualTo(100);
      assertThat(timer(registry, "put").totalTime(TimeUnit.NANOSECONDS)).isPositive();
      assertThat(timer(registry, "put-if-absent").count()).isPositive();
      double here = registry.get("headrace.reads.here").counter().count();
      Timer gets = registry.find("headrace.operations").tag("operation", "get").timer();
      assertThat(here + (gets == null ? 0 : gets.count())).isEqualTo(100);
      assertThat(here).as("both nodes own every segment").isPositive();
      assertThat(registry.get("headrace.node.lease.seconds").gauge().value()).isBetween(0.0, 3.0);
      assertThat(registry.get("headrace.node.replication.lag").gauge().value()).isBetween(0.0, 1.0);
      assertThat(registry.get("headrace.cluster.replicas.missing").gauge().value()).isZero();
      metrics.close();
    }
    cache.put("key-0", "unseen");
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aReaderOfChangesThatStandsStillIsSeenToFallBehindUntilItHasEverything() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    Cache<String, Integer> cache = cluster.node(0).cache("read", String.class, Integer.class);
    try (HeadraceMetrics metrics = new HeadraceMetrics(cluster.node(0))) {
      metrics.bindTo(registry);
      Gauge readers = registry.get("headrace.node.changes.readers").gauge();
      Gauge lag = registry.get("headrace.node.changes.lag.seconds").gauge();
      assertThat(readers.value()).isZero();
      TestSubscriber<Change<String, Integer>> reader =
          Flowable.fromPublisher(cache.changes().changes()).test(1);
      await(() -> readers.value() == 1);
      await(
          () -> {
            cache.put("key", 0); // from some write on they are told
            return reader.values().size() == 1;
          });
      cache.put("key", 1);
      await(() -> lag.value() > 0.1);
      reader.request(Long.MAX_VALUE);
      await(() -> lag.value() == 0 && values(reader).contains(1));
      cache.put("key", 2);
      await(() -> lag.value() == 0 && values(reader).contains(2));
      reader.cancel();
      await(() -> readers.value() == 0);
    }
  }

  private static List<Integer> values(TestSubscriber<Change<String, Integer>> reader) {
    return reader.values().stream()
        .map(change -> ((Change.OfKey<String, Integer>) change).value())
        .toList();
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static Timer timer(SimpleMeterRegistry registry, String operation) {
    return registry
        .get("headrace.operations")
        .tags("operation", operation, "outcome", "done")
        .timer();
  }

  @Test
  void readingFiguresIsEnoughForCachesToAppear() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (HeadraceMetrics metrics = new HeadraceMetrics(cluster.node(1))) {
      metrics.bindTo(registry);
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (registry.find("headrace.cache.entries").gauge() == null) {
        assertThat(System.nanoTime() - deadlineNanos).isNegative();
        assertThat(registry.get("headrace.node.ready").gauge().value()).isBetween(0.0, 1.0);
        assertThat(registry.get("headrace.cluster.members").gauge().value()).isEqualTo(2);
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void closingTakesTheFiguresOutOfEveryRegistry() throws Exception {
    SimpleMeterRegistry one = new SimpleMeterRegistry();
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    HeadraceMetrics metrics = bound(one);
    metrics.bindTo(other);
    assertThat(other.getMeters()).isNotEmpty();
    metrics.close();
    assertThat(one.getMeters()).isEmpty();
    assertThat(other.getMeters()).isEmpty();
    assertThat(cluster.node(0).status().members()).hasSize(2);
  }

  @Test
  void aClosedNodeHasNoFiguresAndIsNotReady() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (NodeCluster alone = NodeCluster.of(1);
        HeadraceMetrics metrics = new HeadraceMetrics(alone.node(0))) {
      alone.node(0).cache("measured", String.class, String.class).put("key", "value");
      metrics.bindTo(registry);
      awaitSizes(metrics, registry);

      alone.node(0).close();

      assertThat(registry.get("headrace.cluster.members").gauge().value()).isNaN();
      assertThat(registry.get("headrace.cache.entries").gauge().value()).isNaN();
      assertThat(registry.get("headrace.cache.bytes").gauge().value()).isNaN();
      assertThat(registry.get("headrace.node.lease.seconds").gauge().value()).isNaN();
      assertThat(registry.get("headrace.node.replication.lag").gauge().value()).isNaN();
      assertThat(registry.get("headrace.ingest.sinks").gauge().value()).isNaN();
      assertThat(registry.get("headrace.node.ready").gauge().value()).isZero();
    }
  }

  @Test
  void aClosedNodeCannotBeAsked() {
    try (NodeCluster alone = NodeCluster.of(1);
        HeadraceMetrics metrics = new HeadraceMetrics(alone.node(0))) {
      alone.node(0).close();
      assertThat(metrics.refresh()).isCompletedExceptionally();
    }
  }

  @Test
  void anotherKindOfNodeIsRefused() {
    Headrace other =
        (Headrace)
            Proxy.newProxyInstance(
                Headrace.class.getClassLoader(),
                new Class<?>[] {Headrace.class},
                (proxy, method, arguments) -> null);
    assertThatThrownBy(() -> new HeadraceMetrics(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Headrace.start");
  }

  @Test
  void thePageListsTheFiguresWithTheirUnitsAndTags() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (HeadraceMetrics metrics = bound(registry)) {
      assertThat(metrics).isNotNull();
      cluster.node(0).cache("measured", String.class, String.class).put("key-0", "value");
      Map<String, String> present = new TreeMap<>();
      registry.getMeters().forEach(meter -> present.put(meter.getId().getName(), row(meter)));
      present.keySet().removeIf(name -> name.endsWith(".histogram")); // parts of a timer
      Map<String, String> listed = listed();
      listed.keySet().removeIf(name -> name.startsWith("headrace.http."));
      assertThat(listed).isEqualTo(present);
    }
  }

  @Test
  void whatThePageShowsCompiles(@TempDir Path classes) throws IOException {
    GuideSnippets.assertCompile(
        List.of(GuideSnippets.root().resolve("site/src/guide/metrics.md")),
        classes,
        List.of(
            Headrace.class,
            HeadraceMetrics.class,
            SimpleMeterRegistry.class,
            ObservationRegistry.class,
            Flowable.class,
            Publisher.class));
  }

  private static String row(Meter meter) {
    String name = meter.getId().getName();
    String unit = "1";
    if (meter instanceof Timer || meter instanceof FunctionTimer || name.endsWith(".seconds")) {
      unit = "seconds";
    } else if (name.endsWith(".bytes")) {
      unit = "bytes";
    }
    return meter.getId().getTags().stream()
        .map(Tag::getKey)
        .sorted()
        .map(key -> "`" + key + "`")
        .collect(Collectors.joining(", ", unit + " ", ""));
  }

  /** The names of the page with their units and tags. */
  private static Map<String, String> listed() throws IOException {
    String page = Files.readString(GuideSnippets.root().resolve("site/src/guide/metrics.md"));
    Map<String, String> rows = new TreeMap<>();
    ROW.matcher(page)
        .results()
        .forEach(row -> rows.put(row.group(1), row.group(2) + " " + row.group(3)));
    assertThat(rows).hasSizeGreaterThan(30);
    return rows;
  }
}
