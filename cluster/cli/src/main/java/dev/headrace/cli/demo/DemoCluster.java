package dev.headrace.cli.demo;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.node.HeadraceNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Some nodes in this process that meet nobody else. Used by one thread, but for {@link #kill}. */
final class DemoCluster implements AutoCloseable {
  static final int OWNERS = 2;

  /** A node that starts or ends waits for others, and would hold up a shared pool of one thread. */
  private static final Executor OWN_THREAD = task -> new Thread(task, "headrace-demo").start();

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Path folder;
  private final String name = "demo-" + UUID.randomUUID().toString().substring(0, 6);
  private final List<Headrace> nodes = new ArrayList<>();
  private int started;
  private final Set<Headrace> gone = ConcurrentHashMap.newKeySet();
  private @Nullable CompletableFuture<Headrace> joining;
  private ClusterStatus.@Nullable Rebalance reported;
  private CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);

  private DemoCluster(Path folder) {
    this.folder = folder;
  }

  static DemoCluster start(int size) throws IOException {
    DemoCluster cluster = new DemoCluster(Files.createTempDirectory("headrace-demo"));
    cluster.started = size;
    try {
      cluster.nodes.add(cluster.startNode(1));
      List<CompletableFuture<Headrace>> others = new ArrayList<>();
      for (int number = 2; number <= size; number++) {
        int own = number;
        others.add(CompletableFuture.supplyAsync(() -> cluster.startNode(own), OWN_THREAD));
      }
      others.forEach(other -> cluster.nodes.add(other.join()));
      cluster.awaitMembers(size);
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private Headrace startNode(int number) {
    return Headrace.start(
        NodeSettings.builder()
            .clusterName(name)
            .nodeName("node-" + number)
            .owners(OWNERS)
            .discovery(new Discovery.Local(folder.toString()))
            .shutdownHook(false) // ctrl-C ends the demonstration, with all that it holds
            .build());
  }

  /** Waits until every living node has a segment table of so many members. */
  void awaitMembers(int count) {
    long startNanos = System.nanoTime();
    while (!living().allMatch(node -> node.status().members().size() == count)) {
      pause(startNanos, "there are not " + count + " nodes");
    }
  }

  private void pause(long startNanos, String problem) {
    if (System.nanoTime() - startNanos > PATIENCE_NANOS) {
      throw new HeadraceException("After 10 s " + problem + ": " + status());
    }
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
  }

  private Stream<Headrace> living() {
    return nodes.stream().filter(node -> !gone.contains(node));
  }

  String name() {
    return name;
  }

  /** The node that loads and streams, and outlives the others. */
  Headrace first() {
    return nodes.get(0);
  }

  Headrace node(int index) {
    return nodes.get(index);
  }

  ClusterStatus status() {
    return first().status();
  }

  /** Starts one more node, in the background. */
  void join() {
    int number = ++started;
    joining = CompletableFuture.supplyAsync(() -> startNode(number), OWN_THREAD);
  }

  /** Lets a node leave in order, in the background. */
  void leave(int index) {
    Headrace leaver = nodes.get(index);
    gone.add(leaver);
    leaving = CompletableFuture.runAsync(leaver::close, OWN_THREAD);
  }

  /** Waits until nothing is left to be moved; returns what was. */
  ClusterStatus.Rebalance awaitBalanced() {
    nodes.addAll(joined());
    leaving.join();
    long startNanos = System.nanoTime();
    while (true) {
      ClusterStatus status = status();
      ClusterStatus.Rebalance last = status.rebalance();
      if (last != null && !last.running() && !last.equals(reported) && level(status)) {
        reported = last;
        return last;
      }
      pause(startNanos, "the segments are not level");
    }
  }

  /** Whether all nodes hold the same number of replicas, give or take one. */
  private static boolean level(ClusterStatus status) {
    var held =
        status.members().stream()
            .mapToInt(member -> member.primarySegments() + member.backupSegments())
            .summaryStatistics();
    return held.getMax() - held.getMin() <= 1
        && held.getSum() == (long) status.segments() * status.effectiveOwners();
  }

  /**
   * Whether who joins has joined, who leaves has left, and nothing moves. Nodes that are gone are
   * forgotten then: the others get new indexes.
   */
  boolean isSettled() {
    CompletableFuture<Headrace> pending = joining;
    if ((pending != null && !pending.isDone()) || !leaving.isDone()) {
      return false;
    }
    nodes.addAll(joined());
    nodes.removeAll(gone);
    gone.clear();
    ClusterStatus.Rebalance last = status().rebalance();
    return (last == null || !last.running()) && status().members().size() == living().count();
  }

  /** The living nodes but the first, the oldest first, as indexes. */
  List<Integer> others() {
    return IntStream.range(1, nodes.size())
        .filter(index -> !gone.contains(nodes.get(index)))
        .boxed()
        .toList();
  }

  private List<Headrace> joined() {
    CompletableFuture<Headrace> pending = joining;
    joining = null;
    return pending == null ? List.of() : List.of(pending.join());
  }

  private static List<Headrace> started(@Nullable Headrace node) {
    return node == null ? List.of() : List.of(node);
  }

  /** Takes a node away without a word to the others, as a crash does. */
  void kill(int index) {
    if (nodes.get(index) instanceof HeadraceNode node) {
      gone.add(node);
      node.kill();
    } else {
      throw new HeadraceException("This kind of node cannot be killed: " + nodes.get(index));
    }
  }

  /** Stops every node, as nobody is left to take over, and removes the folder of their meeting. */
  @Override
  public void close() {
    CompletableFuture<Headrace> pending = joining;
    joining = null;
    if (pending != null) { // a node that could not start has ended by itself
      nodes.addAll(pending.handle((node, failure) -> started(node)).join());
    }
    CompletableFuture.allOf(
            nodes.stream()
                .map(
                    node -> CompletableFuture.runAsync(() -> node.close(Duration.ZERO), OWN_THREAD))
                .toArray(CompletableFuture<?>[]::new))
        .join();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove " + folder, e);
    }
  }
}
