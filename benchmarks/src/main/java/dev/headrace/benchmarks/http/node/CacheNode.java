package dev.headrace.benchmarks.http.node;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.http.HttpServer;
import dev.headrace.http.HttpSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.core.Flowable;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** A node of Headrace with its port, at its defaults but for owners and memory. */
final class CacheNode implements AutoCloseable {
  /** The cache that is exported, of strings. */
  private static final String EXPORTED = "exported";

  private static final int LOAD_BATCH_BYTES = 64 << 10;
  private static final int NUMBER_CHARS = 10;

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final HeadraceNode node;
  private final HttpServer server;

  CacheNode(NodePlace place) {
    String[] hosts =
        place.membershipPorts().stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new);
    node =
        HeadraceNode.start(
            NodeSettings.builder()
                .clusterName("http-" + place.membershipPorts().get(0))
                .nodeName("node-" + place.index())
                .bindAddress("127.0.0.1")
                .membershipPort(place.membershipPorts().get(place.index()))
                .discovery(Discovery.hosts(hosts))
                .owners(place.owners())
                .memoryBytes(place.memoryBytes())
                .build());
    server =
        HttpServer.start(
            node, HttpSettings.builder().port(place.httpPort()).registry(registry).build());
    Waiting.until("all nodes to have their segments", () -> isSettled(place.nodes()));
  }

  private boolean isSettled(int nodes) {
    ClusterStatus status = node.status();
    ClusterStatus.Rebalance rebalance = status.rebalance();
    return status.members().size() == nodes
        && (rebalance == null || !rebalance.running())
        && node.view().serves()
        && !node.view().ownedSegments().isEmpty();
  }

  /** Begins to look at what the port holds for a stream. */
  QueuedBytes queued() {
    return new QueuedBytes(server.port(), registry);
  }

  private Cache<String, String> exported() {
    return node.cache(EXPORTED, String.class, String.class);
  }

  /** Loads entries of these numbers. */
  void fill(int from, int count, int valueBytes) {
    String filler = "v".repeat(valueBytes - NUMBER_CHARS);
    Flowable<Map.Entry<String, String>> entries =
        Flowable.range(from, count)
            .map(
                number -> {
                  String digits = "%010d".formatted(number);
                  return Map.entry("key-" + digits, digits + filler);
                });
    long failed = exported().sink().batchBytes(LOAD_BATCH_BYTES).load(entries).join().failed();
    if (failed > 0) {
      throw new IllegalStateException(failed + " entries could not be loaded");
    }
  }

  /** How many entries the whole cluster has. */
  long entries() {
    return exported().size();
  }

  /** The streams that this node reads for somebody. */
  int streams() {
    return node.status().streamMemory().streams();
  }

  /** The heap in use after a full collection. */
  static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() {
    server.close();
    node.kill(); // nobody waits for what it holds
  }
}
