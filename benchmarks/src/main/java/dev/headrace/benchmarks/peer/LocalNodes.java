package dev.headrace.benchmarks.peer;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.HeadraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Data nodes of Headrace in this JVM, and a client, which is a node of capacity 0. They meet
 * through a folder of their own. As long as they run, Headrace logs warnings only; afterwards
 * nothing. Started and closed by one thread.
 */
public final class LocalNodes implements AutoCloseable {
  private static final Logger NODES = Logger.getLogger("dev.headrace");

  private final MeetingFolder folder;
  private final List<HeadraceNode> nodes = new ArrayList<>();

  /** Starts one of the nodes. */
  @FunctionalInterface
  public interface Starter {
    /**
     * Starts it.
     *
     * @param number 0 for the first data node
     * @param settings its cluster, name, capacity and discovery; the others are to be added
     */
    HeadraceNode start(int number, NodeSettings.Builder settings);
  }

  /**
   * Starts nodes at the defaults; see {@link #LocalNodes(String, int, Starter)}.
   *
   * @param name how the name of the cluster begins
   * @param dataNodes how many hold segments
   */
  public LocalNodes(String name, int dataNodes) {
    this(name, dataNodes, (number, settings) -> HeadraceNode.start(settings.build()));
  }

  /**
   * Starts the nodes one after the other, and returns when all of them know each other.
   *
   * @param name how the name of the cluster begins
   * @param dataNodes how many hold segments
   * @param starter starts each with what it needs beside the defaults
   */
  public LocalNodes(String name, int dataNodes, Starter starter) {
    NODES.setLevel(Level.WARNING);
    folder = new MeetingFolder("headrace-" + name);
    String clusterName = name + "-" + UUID.randomUUID().toString().substring(0, 8);
    for (int i = 0; i <= dataNodes; i++) {
      NodeSettings.Builder settings =
          NodeSettings.builder()
              .clusterName(clusterName)
              .nodeName("node-" + i)
              .capacity(i < dataNodes ? 1 : 0)
              .discovery(folder.discovery());
      nodes.add(starter.start(i, settings));
    }
    Waiting.until(
        "all nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == nodes.size()));
  }

  /** The first data node. */
  public HeadraceNode dataNode() {
    return nodes.get(0);
  }

  /** The node that holds nothing. */
  public HeadraceNode client() {
    return nodes.get(nodes.size() - 1);
  }

  /**
   * Kills the nodes. Nobody is left to take over: leaving one by one would move everything once
   * more.
   */
  @Override
  public void close() {
    NODES.setLevel(Level.OFF); // those that are left for a moment would say that they miss others
    nodes.forEach(HeadraceNode::kill);
    folder.close();
  }
}
