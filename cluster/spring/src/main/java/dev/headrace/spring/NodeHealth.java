package dev.headrace.spring;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.ReadyState;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the node of an application is, in no words of Boot's, of which each generation has its own.
 * Sends no message. Thread-safe.
 */
public final class NodeHealth {
  private final Headrace node;
  private final ReadyState ready;

  /**
   * The health of a node.
   *
   * @param node the node
   * @param ready whether it should get work
   */
  public NodeHealth(Headrace node, ReadyState ready) {
    this.node = node;
    this.ready = ready;
  }

  /**
   * Why the node should not get work yet or for the moment.
   *
   * @return null if it should
   * @throws NodeClosedException after the node was closed
   */
  public @Nullable String unreadyBecause() {
    return ready.unreadyBecause();
  }

  /**
   * What operators see beside the state.
   *
   * @return in the order in which it is shown
   * @throws NodeClosedException after the node was closed
   */
  public Map<String, Object> details() {
    ClusterStatus status = node.status();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("cluster", status.clusterName());
    details.put("node", node.settings().nodeName());
    details.put("members", status.members().size());
    details.put("epoch", status.epoch());
    details.put("lostSegments", status.lostSegments().size());
    return details;
  }

  /** Whether the node should get work. */
  public boolean isReady() {
    try {
      return ready.unreadyBecause() == null;
    } catch (NodeClosedException e) {
      return false;
    }
  }
}
