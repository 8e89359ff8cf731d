package dev.headrace.micrometer;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What one registry has of a node, until it is closed. Thread-safe. */
final class BoundMeters {
  private final MeterRegistry registry;
  private final IngestMeters ingest;
  private final MultiGauge entries;
  private final MultiGauge bytes;
  private final List<Gauge> gauges = new ArrayList<>(); // guarded by this
  private boolean closed; // guarded by this

  /** The meters of caches and loads. */
  BoundMeters(MeterRegistry registry, IngestMeters ingest) {
    this.registry = registry;
    this.ingest = ingest;
    this.entries = MultiGauge.builder("headrace.cache.entries").register(registry);
    this.bytes = MultiGauge.builder("headrace.cache.bytes").register(registry);
  }

  /** Adds a figure, which the registry holds on to. */
  synchronized void gauge(String name, String text, Supplier<Number> figure) {
    gauges.add(Gauge.builder(name, figure).description(text).register(registry));
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
      entryRows.add(MultiGauge.Row.of(tags, cache.entries()));
      byteRows.add(MultiGauge.Row.of(tags, cache.bytes()));
    }
    entries.register(entryRows, true);
    bytes.register(byteRows, true);
  }

  /** Takes everything out of the registry. */
  synchronized void close() {
    closed = true;
    gauges.forEach(registry::remove);
    ingest.close();
    entries.register(List.of(), true);
    bytes.register(List.of(), true);
  }
}
