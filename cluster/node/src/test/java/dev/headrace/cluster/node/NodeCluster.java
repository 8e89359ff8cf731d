package dev.headrace.cluster.node;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Real nodes in this process, which meet in a folder of their own and so meet nobody else. With
 * {@code -Dheadrace.loops=N} each has N event loops for operations and N for batches.
 */
public final class NodeCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final String name = "test-" + UUID.randomUUID();
  private final Path folder;
  private final List<HeadraceNode> nodes = new ArrayList<>();

  /** A cluster without nodes. */
  public NodeCluster() {
    try {
      Path target = Files.createDirectories(Path.of("target", "clusters"));
      folder = Files.createTempDirectory(target.toAbsolutePath(), "cluster");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A cluster of nodes with settings as in {@link #settings}. */
  public static NodeCluster of(int size) {
    return of(size, settings -> settings);
  }

  /** A cluster of nodes with the same settings. */
  public static NodeCluster of(int size, UnaryOperator<NodeSettings.Builder> change) {
    NodeCluster cluster = new NodeCluster();
    for (int i = 0; i < size; i++) {
      cluster.start(change);
    }
    return cluster;
  }

  /** Settings that belong to this cluster, patient as long as a busy machine may take. */
  public NodeSettings.Builder settings() {
    NodeSettings.Builder builder =
        NodeSettings.builder()
            .operationTimeout(PATIENCE)
            .clusterName(name)
            .nodeName("node-" + nodes.size())
            .discovery(new Discovery.Local(folder.toString()));
    Integer loops = Integer.getInteger("headrace.loops");
    return loops == null ? builder : builder.operationLoops(loops).bulkLoops(loops);
  }

  /** Starts one more node. */
  public HeadraceNode start(UnaryOperator<NodeSettings.Builder> change) {
    return start(change, NodeTuning.defaults());
  }

  /** Starts one more node with other tuning than the usual one. */
  public HeadraceNode start(UnaryOperator<NodeSettings.Builder> change, NodeTuning tuning) {
    HeadraceNode node = HeadraceNode.start(change.apply(settings()).build(), tuning);
    nodes.add(node);
    return node;
  }

  /** A node, counted from 0 in the order of starting. */
  public HeadraceNode node(int index) {
    return nodes.get(index);
  }

  @Override
  public void close() {
    nodes.forEach(HeadraceNode::kill);
  }
}
