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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
  private final ScheduledExecutorService delays =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "delays");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Starts the nodes.
   *
   * @param owners copies of a segment
   * @param slowMillis by how much the first node handles each message late
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

  /** A thread of its own handles a slow node's messages, in their order. */
  private NodeTuning tuning(int slowMillis) {
    NodeTuning usual = NodeTuning.defaults();
    return slowMillis == 0
        ? usual
        : usual.withHandOver(
            new WireSettings.HandOver(
                task -> {
                  var unused = delays.schedule(task, slowMillis, TimeUnit.MILLISECONDS);
                },
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
