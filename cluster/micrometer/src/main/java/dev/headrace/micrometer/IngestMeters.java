package dev.headrace.micrometer;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * What the sinks of a node have sent, by the node that it went to (tag {@code to}). Figures of a
 * node appear with the first reading after something was sent to it. Thread-safe.
 */
final class IngestMeters {
  private static final NodeTotals NOTHING = new NodeTotals("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  private final Supplier<List<NodeTotals>> source;
  private final MeterRegistry registry;
  private final IntSupplier running;
  private final List<Meter> meters = new CopyOnWriteArrayList<>();

  /** By node what the last reading has found. Guarded by this. */
  private final Map<String, NodeTotals> known = new HashMap<>();

  /** The nodes that have meters, also those to which a later reading knows nothing sent. */
  private final Set<String> registered = new HashSet<>(); // guarded by this

  /**
   * @param source the sums by node; throws {@link NodeClosedException} when there are none any more
   * @param running counts the loads that run; throws the same
   */
  IngestMeters(Supplier<List<NodeTotals>> source, IntSupplier running, MeterRegistry registry) {
    this.source = source;
    this.registry = registry;
    this.running = running; // a gauge holds it only weakly
    meters.add(
        Gauge.builder("headrace.ingest.sinks", this, IngestMeters::count)
            .description("Loads that run")
            .register(registry));
  }

  private double count() {
    try {
      return running.getAsInt();
    } catch (NodeClosedException e) {
      return Double.NaN;
    }
  }

  /** Reads the figures anew. A node that has joined another cluster has sent nothing there yet. */
  synchronized void refresh() {
    List<NodeTotals> present;
    try {
      present = source.get();
    } catch (NodeClosedException e) {
      return;
    }
    known.clear();
    for (NodeTotals each : present) {
      known.put(each.node(), each);
      if (registered.add(each.node())) {
        register(each.node());
      }
    }
  }

  private synchronized NodeTotals of(String node) {
    return known.getOrDefault(node, NOTHING);
  }

  private double present(String node, ToDoubleFunction<NodeTotals> figure) {
    return Double.isNaN(count()) ? Double.NaN : figure.applyAsDouble(of(node));
  }

  private void register(String node) {
    counter(node, "batches", "Batches sent", NodeTotals::batches);
    counter(node, "entries", "Entries in them", NodeTotals::entries);
    counter(node, "bytes", "Encoded keys and values in them", NodeTotals::bytes);
    counter(node, "retries", "Entries sent again", NodeTotals::retried);
    counter(node, "fill", "Shares of batchBytes that batches had, 1 for a full one", t -> t.fill());
    timer(
        node,
        "linger",
        "From the first entry of a batch until it left",
        NodeTotals::batches,
        NodeTotals::lingerNanos);
    timer(
        node,
        "answer",
        "From when a batch left until all of it was acknowledged",
        NodeTotals::answered,
        NodeTotals::answerNanos);
    gauge(node, "waiting.batches", "Batches that are open or wait", NodeTotals::waitingBatches);
    gauge(node, "in.flight.bytes", "Bytes not acknowledged yet", NodeTotals::inFlightBytes);
  }

  private void counter(String node, String name, String text, ToDoubleFunction<NodeTotals> figure) {
    meters.add(
        FunctionCounter.builder(
                "headrace.ingest." + name, this, self -> figure.applyAsDouble(self.of(node)))
            .description(text)
            .tags(Tags.of("to", node))
            .register(registry));
  }

  private void gauge(String node, String name, String text, ToDoubleFunction<NodeTotals> figure) {
    meters.add(
        Gauge.builder("headrace.ingest." + name, this, self -> self.present(node, figure))
            .description(text)
            .tags(Tags.of("to", node))
            .register(registry));
  }

  /** Counts something. */
  private interface Count {
    long of(NodeTotals totals);
  }

  private void timer(String node, String name, String text, Count count, Count nanos) {
    meters.add(
        FunctionTimer.builder(
                "headrace.ingest." + name,
                this,
                self -> count.of(self.of(node)),
                self -> nanos.of(self.of(node)),
                TimeUnit.NANOSECONDS)
            .description(text)
            .tags(Tags.of("to", node))
            .register(registry));
  }

  /** Takes the figures out of the registry. */
  void close() {
    meters.forEach(registry::remove);
  }
}
