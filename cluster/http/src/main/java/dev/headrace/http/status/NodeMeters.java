package dev.headrace.http.status;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.server.PortListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a node, in Prometheus's form at {@code /metrics} and in a registry that an
 * application gives. Thread-safe.
 */
public final class NodeMeters implements PortListener, ClusterFeed.PortFigures, AutoCloseable {
  private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long SIZES_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final HeadraceNode node;
  private final ReadyState ready;
  private final PrometheusMeterRegistry prometheus;
  private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
  private final List<Gauge> gauges = new ArrayList<>();
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();
  private final IngestMeters ingest;
  private final MultiGauge entries;
  private final MultiGauge bytes;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong sentBytes = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final OperationRates operations = new OperationRates();
  private final AtomicLong sizesNanos = new AtomicLong(System.nanoTime() - SIZES_NANOS);
  private volatile @Nullable ClusterStatus kept;
  private volatile long keptNanos;

  /**
   * Figures of a node.
   *
   * @param given the registry of an application; null for none
   */
  public NodeMeters(
      HeadraceNode node, ActiveStreams streams, ReadyState ready, @Nullable MeterRegistry given) {
    this.node = node;
    this.ready = ready;
    this.prometheus =
        given instanceof PrometheusMeterRegistry shared
            ? shared
            : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.add(prometheus);
    if (given != null && given != prometheus) {
      registry.add(given);
    }
    entries = MultiGauge.builder("headrace.cache.entries").register(registry);
    bytes = MultiGauge.builder("headrace.cache.bytes").register(registry);
    gauge("headrace.http.connections", "Open connections", connections, AtomicInteger::get);
    gauge("headrace.http.streams", "Streams being served", streams, ActiveStreams::count);
    gauge("headrace.http.sent.bytes", "Bytes of bodies sent", sentBytes, AtomicLong::get);
    gauge("headrace.node.ready", "1 if the node should get work", this, NodeMeters::isReady);
    ofCluster();
    ofNode();
    ofRebalance();
    ingest =
        new IngestMeters(() -> node.ingest().byNode(), () -> node.ingest().running(), registry);
  }

  private void ofCluster() {
    status("headrace.cluster.epoch.number", "Number of the segment table", ClusterStatus::epoch);
    status("headrace.cluster.members", "Members", status -> status.members().size());
    status("headrace.cluster.segments", "Segments", ClusterStatus::segments);
    status(
        "headrace.cluster.segments.lost",
        "Segments that have lost content",
        status -> status.lostSegments().size());
    status(
        "headrace.cluster.suspended",
        "1 if this node's part must not go on",
        status -> status.suspendedBecause() == null ? 0 : 1);
    status(
        "headrace.clock.error.seconds",
        "Bound of the error of cluster time",
        status -> status.clockError().toNanos() / 1e9);
  }

  private void ofNode() {
    own("headrace.node.segments.primary", "Primary segments", self -> self.primarySegments());
    own("headrace.node.segments.backup", "Backup segments", self -> self.backupSegments());
    own("headrace.node.buffers.bytes", "Direct memory of buffers", self -> self.bufferBytes());
    own("headrace.node.changes.bytes", "Retained changes", self -> self.changeBytes());
    own("headrace.node.memory.used.bytes", "Heap of entries", self -> memory(self, true));
    own("headrace.node.memory.limit.bytes", "Limit of that heap", self -> memory(self, false));
    status(
        "headrace.node.streams",
        "Streams that have begun and not ended",
        status -> status.streamMemory().streams());
    status(
        "headrace.node.streams.waiting",
        "Streams that wait for memory",
        status -> status.streamMemory().waiting());
    status(
        "headrace.node.streams.credit.bytes",
        "Bytes that streams hold or were promised",
        status -> status.streamMemory().usedBytes());
    status(
        "headrace.node.streams.budget.bytes",
        "The most of these",
        status -> status.streamMemory().budgetBytes());
  }

  private void ofRebalance() {
    rebalance("headrace.rebalance.planned", "Copies planned", r -> r.plannedCopies());
    rebalance("headrace.rebalance.copied", "Copies in force", r -> r.copies());
    rebalance("headrace.rebalance.copying", "Copies under way", r -> r.copying());
    rebalance("headrace.rebalance.bytes", "Bytes copied", r -> r.bytes());
    rebalance(
        "headrace.rebalance.remaining.seconds",
        "Time that it still takes",
        r -> r.remaining().toMillis() / 1e3);
  }

  private static double memory(ClusterStatus.Member self, boolean used) {
    ClusterStatus.Memory memory = self.memory();
    return memory == null ? 0 : used ? memory.usedBytes() : memory.limitBytes();
  }

  private void own(String name, String text, ToDoubleFunction<ClusterStatus.Member> figure) {
    status(
        name,
        text,
        status ->
            status.members().stream()
                .filter(ClusterStatus.Member::self)
                .mapToDouble(figure)
                .findFirst()
                .orElse(0));
  }

  private void rebalance(
      String name, String text, ToDoubleFunction<ClusterStatus.Rebalance> figure) {
    status(
        name,
        text,
        status -> {
          ClusterStatus.Rebalance rebalance = status.rebalance();
          return rebalance == null ? 0 : figure.applyAsDouble(rebalance);
        });
  }

  private void status(String name, String text, ToDoubleFunction<ClusterStatus> figure) {
    gauge(
        name,
        text,
        this,
        meters -> {
          ClusterStatus status = meters.recentStatus();
          return status == null ? Double.NaN : figure.applyAsDouble(status);
        });
  }

  private <T> void gauge(String name, String text, T of, ToDoubleFunction<T> figure) {
    gauges.add(Gauge.builder(name, of, figure).description(text).register(registry));
  }

  /** The status for all figures of one reading; null when the node is closed. */
  private @Nullable ClusterStatus recentStatus() {
    ClusterStatus present = kept;
    if (present == null || System.nanoTime() - keptNanos > STATUS_NANOS) {
      try {
        present = node.status();
      } catch (NodeClosedException e) {
        present = null;
      }
      kept = present;
      keptNanos = System.nanoTime();
    }
    return present;
  }

  private double isReady() {
    try {
      return ready.unreadyBecause() == null ? 1 : 0;
    } catch (NodeClosedException e) {
      return 0;
    }
  }

  // ---- The port

  @Override
  public void opened() {
    connections.incrementAndGet();
  }

  @Override
  public void closed() {
    connections.decrementAndGet();
  }

  @Override
  public void answered(Verb verb, @Nullable String template, int status, long nanos) {
    requests.incrementAndGet();
    operations.answered(verb, template, nanos);
    String route = template == null ? "none" : template;
    timers
        .computeIfAbsent(
            verb + " " + route + " " + status,
            key ->
                Timer.builder("headrace.http.requests")
                    .description("From the last byte of a request to the first of its reply")
                    .tags(
                        Tags.of(
                            "method", verb.name(),
                            "route", route,
                            "status", String.valueOf(status)))
                    .publishPercentiles(0.5, 0.99)
                    .register(registry))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void sent(int more) {
    sentBytes.addAndGet(more);
  }

  @Override
  public long requests() {
    return requests.get();
  }

  @Override
  public long sentBytes() {
    return sentBytes.get();
  }

  @Override
  public OperationRates operations() {
    return operations;
  }

  // ---- The route

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, "/metrics", this::answer);
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    ingest.refresh();
    return sizes()
        .handle((done, failure) -> HttpReply.text(200, TEXT, prometheus.scrape()))
        .thenApply(reply -> reply.with("cache-control", "no-store"));
  }

  /** Asks for the sizes of caches if it was not done lately. */
  private CompletableFuture<?> sizes() {
    long before = sizesNanos.get();
    long now = System.nanoTime();
    if (now - before < SIZES_NANOS || !sizesNanos.compareAndSet(before, now)) {
      return CompletableFuture.completedFuture(true);
    }
    return node.caches().thenAccept(this::sizes);
  }

  private void sizes(CacheReport report) {
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

  /** Takes the figures out of the registry of an application. */
  @Override
  public void close() {
    gauges.forEach(registry::remove);
    ingest.close();
    timers.values().forEach(registry::remove);
    entries.register(List.of(), true);
    bytes.register(List.of(), true);
    // The application's registry goes on; that of this node goes with this object.
    List.copyOf(registry.getRegistries()).forEach(registry::remove);
    registry.close();
  }
}
