package dev.headrace.cluster.command.demo;

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Some nodes in this process that meet nobody else. Used by one thread, but for {@link #kill}. */
final class DemoCluster implements AutoCloseable {
  static final int OWNERS = 2;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Path folder;
  private final String name = "demo-" + UUID.randomUUID().toString().substring(0, 6);
  private final List<Headrace> nodes = new ArrayList<>();
  private volatile @Nullable Headrace killed;

  private DemoCluster(Path folder) {
    this.folder = folder;
  }

  static DemoCluster start(int size) throws IOException {
    DemoCluster cluster = new DemoCluster(Files.createTempDirectory("headrace-demo"));
    try {
      cluster.nodes.add(cluster.startNode(1));
      List<CompletableFuture<Headrace>> others = new ArrayList<>();
      for (int number = 2; number <= size; number++) {
        int own = number;
        others.add(CompletableFuture.supplyAsync(() -> cluster.startNode(own)));
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
            .build());
  }

  /** Waits until every living node has a segment table of so many members. */
  void awaitMembers(int count) {
    long startNanos = System.nanoTime();
    while (!living().allMatch(node -> node.status().members().size() == count)) {
      if (System.nanoTime() - startNanos > PATIENCE_NANOS) {
        throw new HeadraceException(
            "After 10 s there are still not " + count + " nodes, but " + status());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private Stream<Headrace> living() {
    return nodes.stream().filter(node -> !node.equals(killed));
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

  /** Takes a node away without a word to the others, as a crash does. */
  void kill(int index) {
    if (nodes.get(index) instanceof HeadraceNode node) {
      killed = node;
      node.kill();
    } else {
      throw new HeadraceException("This kind of node cannot be killed: " + nodes.get(index));
    }
  }

  /** Stops every node and removes the folder through which they met. */
  @Override
  public void close() {
    CompletableFuture.allOf(
            nodes.stream()
                .map(node -> CompletableFuture.runAsync(node::close))
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
