package dev.headrace.benchmarks.operations;

import dev.headrace.api.Cache;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.peer.LocalNodes;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.micrometer.HeadraceMetrics;
import dev.headrace.micrometer.HeadraceObservations;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * What it costs that a node's work is observed: single reads and writes from a node that holds
 * nothing, so that each crosses the wire and is timed, and walks over the whole cache. Metrics are
 * read twice a second, as often as anything is made anew for them; spans are those of streams and
 * their batches, with timers as handlers.
 *
 * <p>Iterations with and without an observer alternate in one JVM, since JVMs differ by more than
 * the cost. The share is told at the end: the median, over pairs of neighbours, of the rate of the
 * one with an observer in that of the one without.
 */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 60, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class ObservedOperationsBenchmark extends ForkedBenchmark {
  private static final int DATA_NODES = 2;
  private static final int ENTRIES = 10_000;
  private static final int VALUE_BYTES = 100;
  private static final int READ_MILLIS = 500;

  /** Who observes every other iteration: the metrics of a registry, or these and spans. */
  @Param({"metrics", "spans"})
  String observer;

  private final Entries content = new Entries(ENTRIES, VALUE_BYTES);
  private LocalNodes nodes;
  private Cache<String, byte[]> cache;
  private byte[] written;
  private final List<Double> rates = new ArrayList<>();
  private @Nullable Observer observing;
  private int turns;
  private long operations;
  private long beganNanos;

  /** Starts the nodes and fills a cache. */
  @Setup(Level.Trial)
  public void start() {
    nodes = new LocalNodes("observed", DATA_NODES);
    cache = nodes.client().cache("bench", String.class, byte[].class);
    written = content.value(0);
    for (int i = 0; i < ENTRIES; i++) {
      cache.put(content.key(i), written);
    }
  }

  /** Gives the turn to the other one: the first iteration is not observed. */
  @Setup(Level.Iteration)
  public void turn() {
    if (turns % 2 == 1) {
      observing = new Observer(nodes.client(), observer.equals("spans"));
    }
    turns++;
    operations = 0;
    beganNanos = System.nanoTime();
  }

  /** Notes the rate. */
  @TearDown(Level.Iteration)
  public void note(IterationParams iteration) {
    double rate = operations * 1e9 / (System.nanoTime() - beganNanos);
    if (iteration.getType() == IterationType.MEASUREMENT) {
      rates.add(rate);
    }
    if (observing != null) {
      observing.close();
      observing = null;
    }
  }

  /** Ends the nodes. */
  @TearDown(Level.Trial)
  public void stop() {
    double[] shares = new double[rates.size() / 2];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = rates.get(2 * i + 1) / rates.get(2 * i);
    }
    System.out.printf(Locale.ROOT, "%nShare with %s: %.3f%n", observer, Samples.median(shares));
    nodes.close();
  }

  private String key() {
    return content.key(ThreadLocalRandom.current().nextInt(ENTRIES));
  }

  /** Reads a value. */
  @Benchmark
  public byte @Nullable [] get() {
    operations++;
    return cache.get(key());
  }

  /** Walks over the whole cache. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long walk() {
    operations++;
    return Flowable.fromPublisher(cache.stream().entries()).count().blockingGet();
  }

  /** Writes a value without asking for the old one. */
  @Benchmark
  public void put() {
    operations++;
    cache.put(key(), written);
  }

  /** Observes a node until it is closed, and reads all figures, as whoever collects them does. */
  private static final class Observer implements AutoCloseable {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor();
    private final LongAdder readSum = new LongAdder();
    private final HeadraceMetrics metrics;
    private final @Nullable HeadraceObservations spans;

    Observer(HeadraceNode node, boolean withSpans) {
      metrics = new HeadraceMetrics(node);
      metrics.bindTo(registry);
      ObservationRegistry observations = ObservationRegistry.create();
      observations
          .observationConfig()
          .observationHandler(new DefaultMeterObservationHandler(registry));
      spans = withSpans ? new HeadraceObservations(node, observations) : null;
      var unused = reader.scheduleAtFixedRate(this::read, 0, READ_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void read() {
      for (Meter meter : registry.getMeters()) {
        meter.measure().forEach(measurement -> readSum.add((long) measurement.getValue()));
      }
    }

    @Override
    public void close() {
      reader.shutdownNow();
      if (readSum.sum() == 0) {
        throw new IllegalStateException("Nobody has read a figure");
      }
      if (spans != null) {
        spans.close();
      }
      metrics.close();
    }
  }
}
