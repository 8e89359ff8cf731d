package dev.headrace.benchmarks.ingest;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.NodeSettings;
import dev.headrace.benchmarks.peer.MeetingFolder;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeTuning;
import dev.headrace.cluster.wire.WireSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Three data nodes and one of capacity 0, which appends, in this JVM; one of them may be slow. */
final class AppendCluster implements AutoCloseable {
  private static final int DATA_NODES = 3;
  private static final Logger NODES = Logger.getLogger("dev.headrace");
  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("appended", String.class, byte[].class);

  private final MeetingFolder folder = new MeetingFolder("headrace-append");
  private final List<HeadraceNode> nodes = new ArrayList<>();
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
    String name = "append-" + UUID.randomUUID().toString().substring(0, 8);
    for (int i = 0; i <= DATA_NODES; i++) {
      NodeSettings settings =
          NodeSettings.builder()
              .clusterName(name)
              .nodeName("node-" + i)
              .segments(segments)
              .owners(owners)
              .capacity(i < DATA_NODES ? 1 : 0)
              .discovery(folder.discovery())
              .build();
      nodes.add(HeadraceNode.start(settings, tuning(i == 0 ? slowMillis : 0)));
    }
    Waiting.until(
        "all nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == DATA_NODES + 1));
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
    Cache<String, byte[]> cache = nodes.get(DATA_NODES).cache(CACHE);
    cache.clear();
    return cache;
  }

  @Override
  public void close() {
    NODES.setLevel(Level.OFF); // those that are left for a moment would say that they miss others
    nodes.forEach(HeadraceNode::kill);
    delays.shutdownNow();
    folder.close();
  }
}
