package dev.headrace.benchmarks.migration;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.MeetingFolder;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeTuning;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Headrace's nodes in this JVM: they meet through a folder of their own, hold one cache, and come
 * and go as asked. Used by one thread.
 */
final class HeadraceNodes implements AutoCloseable {

  static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("bench", String.class, byte[].class);

  private static final int LOAD_BATCH_ENTRIES = 1000;

  /** Since JDK 25 a shared pool of one thread would start one node after the other. */
  private static final Executor OWN_THREAD = task -> new Thread(task, "node-start").start();

  private final String name = "migration-" + UUID.randomUUID().toString().substring(0, 8);
  private final int segments;
  private final int owners;
  private final NodeTuning tuning;
  private final MeetingFolder folder = new MeetingFolder("headrace-migration");
  private final List<HeadraceNode> nodes = new ArrayList<>();
  private final TableWatch watch = new TableWatch();
  private int started;

  /**
   * Starts nothing yet.
   *
   * @param tuning what all nodes have in common; its probe is replaced
   */
  HeadraceNodes(int segments, int owners, NodeTuning tuning) {
    this.segments = segments;
    this.owners = owners;
    this.tuning = tuning;
  }

  /** Starts so many nodes at the same time, and returns when all of them know each other. */
  void start(int count) {
    List<CompletableFuture<HeadraceNode>> starting = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = started++;
      starting.add(CompletableFuture.supplyAsync(() -> startNode(number), OWN_THREAD));
    }
    starting.forEach(node -> nodes.add(node.join()));
    awaitMembers();
  }

  private HeadraceNode startNode(int number) {
    NodeSettings settings =
        NodeSettings.builder()
            .clusterName(name)
            .nodeName("node-" + number)
            .segments(segments)
            .owners(owners)
            .discovery(folder.discovery())
            .build();
    return HeadraceNode.start(settings, tuning.withProbe(watch.probe()));
  }

  void awaitMembers() {
    Waiting.until(
        nodes.size() + " nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == nodes.size()));
  }

  /** Puts all entries through the first node. */
  void load(Entries entries) {
    entries.inBatches(LOAD_BATCH_ENTRIES, cache(0)::putAll);
  }

  /** The cache as a node sees it. */
  Cache<String, byte[]> cache(int node) {
    return nodes.get(node).cache(CACHE);
  }

  int size() {
    return nodes.size();
  }

  TableWatch watch() {
    return watch;
  }

  /** The replicas that the last node holds. */
  int replicasOfLast() {
    return nodes.get(nodes.size() - 1).status().members().stream()
        .filter(ClusterStatus.Member::self)
        .mapToInt(member -> member.primarySegments() + member.backupSegments())
        .sum();
  }

  /** The last node leaves in order. */
  void leave() {
    nodes.remove(nodes.size() - 1).close();
    awaitMembers();
  }

  /** The last node dies; the others are waited for. */
  void kill() {
    nodes.remove(nodes.size() - 1).kill();
    awaitMembers();
  }

  /** Returns whether everything lay where it belongs, on every node's account, within this time. */
  boolean awaitLevel(int seconds) {
    return Waiting.within(seconds, () -> watch.isLevel(nodes.size(), owners) || hasLostAny())
        && !hasLostAny();
  }

  /** Whether the cluster has given up a node that runs: too many share this machine's cores. */
  boolean hasLostAny() {
    return watch.table().members().size() < nodes.size();
  }

  @Override
  public void close() {
    // Nobody is left to take over: leaving one by one would move everything once more.
    nodes.forEach(HeadraceNode::kill);
    folder.close();
  }
}
