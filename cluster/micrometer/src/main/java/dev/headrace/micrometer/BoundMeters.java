package dev.headrace.micrometer;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one registry has of a node, until it is closed. Thread-safe. */
final class BoundMeters {
  /** The upper bounds of the timers' buckets. */
  private static final Duration[] BOUNDS = {
    Duration.ofNanos(100_000),
    Duration.ofNanos(300_000),
    Duration.ofMillis(1),
    Duration.ofMillis(3),
    Duration.ofMillis(10),
    Duration.ofMillis(30),
    Duration.ofMillis(100),
    Duration.ofSeconds(1)
  };

  private final MeterRegistry registry;
  private final IngestMeters ingest;
  private final BooleanSupplier nodeClosed;
  private final MultiGauge entries;
  private final MultiGauge bytes;
  private final Counter readsHere;
  private final Map<String, Timer> done = new ConcurrentHashMap<>();
  private final Map<String, Timer> failed = new ConcurrentHashMap<>();
  private final List<Gauge> gauges = new ArrayList<>(); // guarded by this
  private boolean closed; // guarded by this

  /**
   * The meters of caches and loads.
   *
   * @param nodeClosed whether there are no figures any more
   */
  BoundMeters(MeterRegistry registry, IngestMeters ingest, BooleanSupplier nodeClosed) {
    this.registry = registry;
    this.ingest = ingest;
    this.nodeClosed = nodeClosed;
    this.entries = MultiGauge.builder("headrace.cache.entries").register(registry);
    this.bytes = MultiGauge.builder("headrace.cache.bytes").register(registry);
    this.readsHere =
        Counter.builder("headrace.reads.here")
            .description("Gets that a replica of this node has answered")
            .register(registry);
  }

  /** Adds a figure, which the registry holds on to. */
  synchronized void gauge(String name, String text, Supplier<Number> figure) {
    gauges.add(Gauge.builder(name, figure).description(text).register(registry));
  }

  /** A replica of this node has answered. */
  void readHere() {
    readsHere.increment();
  }

  /** An operation has ended; its timer appears with the first one of its kind. */
  void ended(String operation, long nanos, boolean hasFailed) {
    Timer timer = (hasFailed ? failed : done).get(operation);
    if (timer == null) {
      timer = timer(operation, hasFailed);
    }
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private synchronized @Nullable Timer timer(String operation, boolean hasFailed) {
    if (closed) {
      return null;
    }
    return (hasFailed ? failed : done)
        .computeIfAbsent(
            operation,
            name ->
                Timer.builder("headrace.operations")
                    .description("From the call of an operation until its result is there")
                    .tags("operation", name, "outcome", hasFailed ? "failed" : "done")
                    .serviceLevelObjectives(BOUNDS)
                    .register(registry));
  }

  /** Adds the nodes that loads have gone to. */
  synchronized void refresh() {
    if (!closed) {
      ingest.refresh();
    }
  }

  /** Sets the sizes of all caches. */
  synchronized void sizes(CacheReport report) {
    if (closed) {
      return;
    }
    List<MultiGauge.Row<?>> entryRows = new ArrayList<>();
    List<MultiGauge.Row<?>> byteRows = new ArrayList<>();
    for (CacheStatus cache : report.caches()) {
      Tags tags = Tags.of("cache", cache.name());
      entryRows.add(row(tags, cache.entries()));
      byteRows.add(row(tags, cache.bytes()));
    }
    entries.register(entryRows, true);
    bytes.register(byteRows, true);
  }

  private MultiGauge.Row<?> row(Tags tags, long size) {
    return MultiGauge.Row.of(tags, () -> nodeClosed.getAsBoolean() ? Double.NaN : size);
  }

  /** Takes everything out of the registry. */
  synchronized void close() {
    closed = true;
    gauges.forEach(registry::remove);
    registry.remove(readsHere);
    done.values().forEach(registry::remove);
    failed.values().forEach(registry::remove);
    ingest.close();
    entries.register(List.of(), true);
    bytes.register(List.of(), true);
  }
}
