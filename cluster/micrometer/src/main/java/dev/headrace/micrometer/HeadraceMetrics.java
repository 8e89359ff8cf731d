package dev.headrace.micrometer;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.Registration;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.call.CallObserver;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.ReadyState;
import dev.headrace.stream.change.ChangeReaders;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a node in registries of an application:
 *
 * <pre>{@code
 * new HeadraceMetrics(node).bindTo(registry);
 * }</pre>
 *
 * <p>Reading a figure reads the node's status, at most twice a second. Caches appear with the first
 * reading after they were found, and so do the nodes that {@linkplain dev.headrace.api.Cache#sink
 * loads} have gone to; the sizes of caches cost a message to each node, and are asked for at most
 * once in ten seconds and only while somebody reads. Until all nodes have answered they stay as
 * they were. A closed node has no figures: they are not numbers, but it is not ready, which is 0.
 * From when this is made until it is closed, each operation of the node's callers is timed.
 *
 * <p>A registry holds on to what was bound to it. Close this before the node, or with it, if the
 * registry lives longer. Thread-safe.
 */
public final class HeadraceMetrics implements MeterBinder, AutoCloseable {
  private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final HeadraceNode node;
  private final ReadyState ready;
  private final List<BoundMeters> bound = new CopyOnWriteArrayList<>();
  private final CacheSizes sizes;
  private final Registration operations;
  private volatile @Nullable ClusterStatus kept;
  private volatile long keptNanos;

  /**
   * The figures of a node.
   *
   * @throws IllegalArgumentException if the node is none that {@link Headrace#start} has made
   */
  public HeadraceMetrics(Headrace node) {
    this(HeadraceNode.of(node), ReadyState.of(node));
  }

  /**
   * The figures of a node.
   *
   * @param ready whether it should get work, as others see it, too
   */
  public HeadraceMetrics(HeadraceNode node, ReadyState ready) {
    this.node = node;
    this.ready = ready;
    this.sizes =
        new CacheSizes(
            node::caches,
            report -> bound.forEach(meters -> meters.sizes(report)),
            System::nanoTime);
    this.operations =
        node.observe(
            new CallObserver() {
              @Override
              public void readHere() {
                bound.forEach(BoundMeters::readHere);
              }

              @Override
              public void ended(String operation, long nanos, boolean failed) {
                bound.forEach(meters -> meters.ended(operation, nanos, failed));
              }
            });
  }

  /**
   * Adds the figures to a registry; call it once for each. Bind one object of this class to a
   * registry, or operations count twice: one that {@code HttpSettings} has been given is bound.
   *
   * @param registry is read by any thread
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    IngestMeters ingest =
        new IngestMeters(() -> node.ingest().byNode(), () -> node.ingest().running(), registry);
    BoundMeters meters = new BoundMeters(registry, ingest, () -> recentStatus() == null);
    for (StatusFigure figure : StatusFigure.ALL) {
      meters.gauge(figure.name(), figure.text(), () -> read(figure));
    }
    meters.gauge("headrace.node.ready", "1 if the node should get work", this::isReady);
    meters.gauge("headrace.node.lease.seconds", "How long the lease lasts", this::leaseSeconds);
    meters.gauge(
        "headrace.node.replication.lag",
        "The most writes of one segment that not all owners are known to have",
        this::replicationLag);
    meters.gauge(
        "headrace.node.changes.readers",
        "Streams of changes that are read here",
        () -> changeFigure(ChangeReaders::running));
    meters.gauge(
        "headrace.node.changes.lag.seconds",
        "For how long the slowest of these has not had everything",
        () -> changeFigure(readers -> readers.lagNanos() / 1e9));
    bound.add(meters);
  }

  /**
   * Looks for nodes that loads have gone to, and asks for the sizes of caches unless that was done
   * in the last ten seconds, or in the last second if not all nodes answered. Who reads all figures
   * at a time calls it before.
   *
   * @return completed when the nodes have answered; completed exceptionally if they cannot be asked
   */
  public CompletableFuture<?> refresh() {
    bound.forEach(BoundMeters::refresh);
    return sizes.refresh();
  }

  private double read(StatusFigure figure) {
    ClusterStatus status = recentStatus();
    return status == null ? Double.NaN : figure.value().applyAsDouble(status);
  }

  /** The status for all figures of one reading; null when the node is closed. */
  private @Nullable ClusterStatus recentStatus() {
    ClusterStatus present = kept;
    if (present == null || System.nanoTime() - keptNanos > STATUS_NANOS) {
      try {
        present = node.status();
        kept = present;
        keptNanos = System.nanoTime();
        var unused = refresh();
      } catch (NodeClosedException e) {
        present = null;
        kept = null;
      }
    }
    return present;
  }

  private double leaseSeconds() {
    try {
      long nanos = node.view().leaseNanos();
      return nanos == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : nanos / 1e9;
    } catch (NodeClosedException e) {
      return Double.NaN;
    }
  }

  private double replicationLag() {
    try {
      return node.replicationLag();
    } catch (NodeClosedException e) {
      return Double.NaN;
    }
  }

  private double changeFigure(ToDoubleFunction<ChangeReaders> figure) {
    try {
      return figure.applyAsDouble(node.changeReaders());
    } catch (NodeClosedException e) {
      return Double.NaN;
    }
  }

  /** A closed node is not ready, as whoever watches it wants to hear. */
  private double isReady() {
    try {
      return ready.unreadyBecause() == null ? 1 : 0;
    } catch (NodeClosedException e) {
      return 0;
    }
  }

  /** Takes the figures out of all registries. The node goes on. Idempotent. */
  @Override
  public void close() {
    operations.close();
    bound.forEach(BoundMeters::close);
    bound.clear();
  }
}
