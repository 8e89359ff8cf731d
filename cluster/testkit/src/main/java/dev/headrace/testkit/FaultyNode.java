package dev.headrace.testkit;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeFaults;
import dev.headrace.cluster.node.NodeTuning;
import dev.headrace.cluster.node.NodeView;
import dev.headrace.stream.NodeId;
import java.util.Optional;

/** A node of the cluster, and what a test does to it. */
final class FaultyNode {
  private final NodeFaults faults = new NodeFaults();
  private final HeadraceNode node;
  private volatile boolean paused;

  FaultyNode(NodeSettings settings) {
    node = HeadraceNode.start(settings, NodeTuning.defaults().withFaults(faults));
  }

  HeadraceNode node() {
    return node;
  }

  String name() {
    return node.settings().nodeName();
  }

  NodeId id() {
    return faults.self();
  }

  boolean paused() {
    return paused;
  }

  /** What it knows; empty if it is closed or was killed. */
  Optional<NodeView> view() {
    try {
      return Optional.of(node.view());
    } catch (NodeClosedException e) { // there is no other way to ask
      return Optional.empty();
    }
  }

  /** For how many of its segments it does not know now that it has everything. */
  int outOfSyncReplicas() {
    try {
      return node.status().members().stream()
          .filter(ClusterStatus.Member::self)
          .mapToInt(ClusterStatus.Member::outOfSyncReplicas)
          .sum();
    } catch (NodeClosedException e) { // as above
      return 0;
    }
  }

  boolean open() {
    return view().isPresent();
  }

  void kill() {
    node.kill();
  }

  void pause() {
    if (!open()) {
      throw new IllegalStateException(name() + " has ended: only a node that runs can be paused");
    }
    faults.pause();
    paused = true;
  }

  void resume() {
    faults.resume();
    paused = false;
  }

  void cut(FaultyNode other) {
    faults.cut(other.id());
  }

  void heal(FaultyNode other) {
    faults.heal(other.id());
  }

  boolean isCutFrom(FaultyNode other) {
    return faults.isCut(other.id());
  }
}
