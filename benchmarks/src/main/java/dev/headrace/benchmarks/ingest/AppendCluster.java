package dev.headrace.benchmarks.ingest;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.benchmarks.peer.LocalNodes;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeTuning;
import dev.headrace.cluster.wire.WireSettings;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Three data nodes and one of capacity 0, which appends, in this JVM; one of them may be slow. */
final class AppendCluster implements AutoCloseable {
  private static final int DATA_NODES = 3;
  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("appended", String.class, byte[].class);

  private final LocalNodes nodes;
  private final ExecutorService delays =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "delays");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Starts the nodes.
   *
   * @param owners copies of a segment
   * @param slowMillis how long the first node takes for each message, one after the other; 0 for no
   *     longer than the others
   */
  AppendCluster(int segments, int owners, int slowMillis) {
    nodes =
        new LocalNodes(
            "append",
            DATA_NODES,
            (number, settings) ->
                HeadraceNode.start(
                    settings.segments(segments).owners(owners).build(),
                    tuning(number == 0 ? slowMillis : 0)));
  }

  /**
   * A slow node takes so long for each message, one after the other: like the broker of KIP-794,
   * which handles one request of a connection at a time. What one batch holds is one message.
   */
  private NodeTuning tuning(int slowMillis) {
    NodeTuning usual = NodeTuning.defaults();
    return slowMillis == 0
        ? usual
        : usual.withHandOver(
            new WireSettings.HandOver(
                task ->
                    delays.execute(
                        () -> {
                          LockSupport.parkNanos(slowMillis * 1_000_000L);
                          task.run();
                        }),
                Runnable::run));
  }

  /** The cache, empty, on the node that holds nothing. */
  Cache<String, byte[]> cache() {
    Cache<String, byte[]> cache = nodes.client().cache(CACHE);
    cache.clear();
    return cache;
  }

  @Override
  public void close() {
    nodes.close();
    delays.shutdownNow();
  }
}
