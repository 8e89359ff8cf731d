package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.api.stream.CloseableIterator;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.PublishProcessor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All data nodes restart beside a node of capacity 0, which goes on with the new cluster. */
@Timeout(180)
final class ClientOutlivesClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** What is tried again until it succeeds need not wait long each time. */
  private static final Duration ATTEMPT = Duration.ofSeconds(5);

  private static final long RECHECK_NANOS = 20_000_000;

  @Test
  void aClientGoesOnWithTheNewClusterOfItsName() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      HeadraceNode client = clientOf(cluster, 2);
      Cache<String, String> cache = client.cache("quotes", String.class, String.class);
      AsyncCache<String, String> async = cache.async();
      Map<String, String> map = cache.asMap();
      cache.putAll(entries());
      CloseableIterator<Map.Entry<String, String>> open =
          cache.stream().batchSize(10).entries().iterator();
      open.next();
      cluster.node(0).kill();
      cluster.node(1).kill();
      assertRefusedTyped(cache, "k");
      cluster.start(settings -> settings.segments(16));
      cluster.start(settings -> settings.segments(16));
      awaitWritten(cache, "k", "new");
      assertThat(cache.get("k")).isEqualTo("new");
      assertThat(map.get("k")).isEqualTo("new");
      assertThat(async.get("k").toCompletableFuture().join()).isEqualTo("new");
      assertThat(cache.get("key-1")).as("of the old cluster").isNull();
      assertThatThrownBy(() -> open.forEachRemaining(entry -> {}))
          .isInstanceOf(StreamInterruptedException.class);
      assertThat(cache.stream().batchSize(10).keys().toFlowable().toList().blockingGet())
          .containsExactly("k");
      ClusterStatus status = client.status();
      assertThat(status.segments()).isEqualTo(16);
      assertThat(status.suspendedBecause()).isNull();
      assertThat(status.members()).filteredOn(ClusterStatus.Member::self).hasSize(1);
      client.close();
      assertThatThrownBy(() -> cache.get("k")).isInstanceOf(NodeClosedException.class);
    }
  }

  @Test
  void aLoadEndsWithItsClusterAndItsSinkLoadsTheNewOne() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      HeadraceNode client = clientOf(cluster, 1);
      Cache<String, String> cache = client.cache("quotes", String.class, String.class);
      cache.put("before", "v"); // a client knows two clusters apart by their data only
      CacheSink<String, String> sink = cache.sink();
      SinkSubscriber<Map.Entry<String, String>> loading = sink.subscriber();
      PublishProcessor<Map.Entry<String, String>> source = PublishProcessor.create();
      source.subscribe(loading);
      source.onNext(Map.entry("k", "v"));
      cluster.node(0).kill();
      cluster.start(settings -> settings.segments(16));

      assertThatThrownBy(() -> loading.report().get(2 * LIMIT.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(IngestException.class)
          .hasRootCauseInstanceOf(UnavailableException.class);
      assertThat(source.hasSubscribers()).isFalse();

      awaitWritten(cache, "k", "new");
      IngestReport report =
          sink.load(Flowable.range(0, 1_000).map(i -> Map.entry("key-" + i, "v")))
              .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(report.written()).isEqualTo(1_000);
      assertThat(cache.size()).isEqualTo(1_001);
    }
  }

  @Test
  void itGoesOnEachTime() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      HeadraceNode data = cluster.start(settings -> settings);
      HeadraceNode client =
          cluster.start(settings -> settings.capacity(0).operationTimeout(ATTEMPT));
      Cache<String, String> cache = client.cache("quotes", String.class, String.class);
      for (int round = 0; round < 3; round++) {
        awaitWritten(cache, "k", "v" + round);
        data.kill();
        data = cluster.start(settings -> settings);
      }
      awaitWritten(cache, "k", "end");
      assertThat(cache.get("k")).isEqualTo("end");
    }
  }

  @Test
  void aClientIsClosedWhileThereIsNoCluster() throws Exception {
    try (NodeCluster cluster = new NodeCluster()) {
      HeadraceNode client = clientOf(cluster, 1);
      Cache<String, String> cache = client.cache("quotes", String.class, String.class);
      cache.put("k", "v");
      cluster.node(0).kill();
      assertRefusedTyped(cache, "k");
      client.close();
      assertThatThrownBy(() -> cache.get("k")).isInstanceOf(NodeClosedException.class);
    }
  }

  /** A client of a new cluster of so many data nodes, which are its first ones. */
  private static HeadraceNode clientOf(NodeCluster cluster, int dataNodes) {
    for (int i = 0; i < dataNodes; i++) {
      cluster.start(settings -> settings);
    }
    return cluster.start(settings -> settings.capacity(0).operationTimeout(ATTEMPT));
  }

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }

  /** Operations fail by what they may fail by, until one is refused. */
  private static void assertRefusedTyped(Cache<String, String> cache, String key) {
    HeadraceException failure = null;
    while (!(failure instanceof UnavailableException)) {
      try {
        cache.put(key, "lost");
      } catch (OutcomeUnknownException | UnavailableException e) {
        failure = e;
      }
    }
  }

  /** Waits until a write succeeds; everything else must be typed. */
  private static void awaitWritten(Cache<String, String> cache, String key, String value) {
    long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        cache.put(key, value);
        return;
      } catch (OutcomeUnknownException | UnavailableException | CompletionException e) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new HeadraceException("not written within " + LIMIT, e);
        }
        LockSupport.parkNanos(RECHECK_NANOS);
      }
    }
  }
}
