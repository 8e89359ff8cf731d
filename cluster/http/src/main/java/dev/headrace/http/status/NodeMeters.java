package dev.headrace.http.status;

import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.ReadyState;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.server.PortListener;
import dev.headrace.micrometer.HeadraceMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a port and of its node, in Prometheus's form at {@code /metrics} and in a registry
 * that an application gives. Thread-safe.
 */
public final class NodeMeters implements PortListener, ClusterFeed.PortFigures, AutoCloseable {
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry prometheus;
  private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
  private final List<Gauge> gauges = new ArrayList<>();
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();
  private final HeadraceMetrics ofNode;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong sentBytes = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final OperationRates operations = new OperationRates();

  /**
   * Figures of a node and its port.
   *
   * @param given the registry of an application; null for none
   */
  public NodeMeters(
      HeadraceNode node, ActiveStreams streams, ReadyState ready, @Nullable MeterRegistry given) {
    this.prometheus =
        given instanceof PrometheusMeterRegistry shared
            ? shared
            : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.add(prometheus);
    if (given != null && given != prometheus) {
      registry.add(given);
    }
    gauge("headrace.http.connections", "Open connections", connections, AtomicInteger::get);
    gauge("headrace.http.streams", "Streams being served", streams, ActiveStreams::count);
    gauge("headrace.http.sent.bytes", "Bytes of bodies sent", sentBytes, AtomicLong::get);
    ofNode = new HeadraceMetrics(node, ready);
    ofNode.bindTo(registry);
  }

  private <T> void gauge(String name, String text, T of, ToDoubleFunction<T> figure) {
    gauges.add(Gauge.builder(name, of, figure).description(text).register(registry));
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
    return ofNode
        .refresh()
        .handle((done, failure) -> HttpReply.text(200, TEXT, prometheus.scrape()))
        .thenApply(reply -> reply.with("cache-control", "no-store"));
  }

  /** Takes the figures out of the registry of an application. */
  @Override
  public void close() {
    gauges.forEach(registry::remove);
    ofNode.close();
    timers.values().forEach(registry::remove);
    // The application's registry goes on; that of this node goes with this object.
    List.copyOf(registry.getRegistries()).forEach(registry::remove);
    registry.close();
  }
}
