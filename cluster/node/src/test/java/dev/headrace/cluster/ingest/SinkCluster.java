package dev.headrace.cluster.ingest;

import dev.headrace.api.Cache;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeCluster;
import io.reactivex.rxjava3.core.Flowable;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Three nodes that take entries up to 4 KiB, with a new cache for every test. */
final class SinkCluster implements AutoCloseable {
  static final long PATIENCE_SECONDS = 60;

  private final NodeCluster nodes = NodeCluster.of(3, settings -> settings.maxEntryBytes(4096));
  private int caches;

  HeadraceNode node(int index) {
    return nodes.node(index);
  }

  /** An empty cache. */
  Cache<String, String> cache() {
    return nodes.node(0).cache("sink-" + caches++, String.class, String.class);
  }

  @Override
  public void close() {
    nodes.close();
  }

  static Flowable<Map.Entry<String, String>> entries(int count) {
    return Flowable.range(0, count).map(i -> Map.entry("key-" + i, "value-" + i));
  }

  static IngestReport await(CompletableFuture<IngestReport> report) throws Exception {
    return report.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Why a load has failed, which it must. */
  static IngestException failure(CompletableFuture<IngestReport> report) throws Exception {
    try {
      await(report);
    } catch (ExecutionException e) {
      return (IngestException) e.getCause();
    }
    throw new AssertionError("the load has not failed");
  }
}
