package dev.headrace.cluster.node;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.NodeClosedException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node should get work: it is admitted and has its lease, and its first copies are
 * complete. Once they are, a rebalance because of other nodes does not make it unready, or a load
 * balancer would take away all nodes at once. Thread-safe.
 */
public final class ReadyState {
  /** A node that owns nothing for so long has nothing to wait for. */
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private final HeadraceNode node;
  private final long startNanos = System.nanoTime();
  private volatile boolean settled;

  /** The state of a node. */
  public ReadyState(HeadraceNode node) {
    this.node = node;
  }

  /**
   * The state of a node as its user has it.
   *
   * @throws IllegalArgumentException if the node is none that {@link Headrace#start} has made
   */
  public static ReadyState of(Headrace node) {
    return new ReadyState(HeadraceNode.of(node));
  }

  /**
   * Why the node is not ready; null if it is. Sends no message.
   *
   * @throws NodeClosedException after the node was closed
   */
  public @Nullable String unreadyBecause() {
    ClusterStatus status = node.status();
    NodeView view = node.view();
    if (status.suspendedBecause() != null) {
      return status.suspendedBecause();
    }
    if (!view.serves()) {
      return "The node has no lease";
    }
    if (!settled) {
      ClusterStatus.Rebalance rebalance = status.rebalance();
      boolean moving = rebalance != null && rebalance.running();
      boolean patient = System.nanoTime() - startNanos < PATIENCE_NANOS;
      boolean empty = node.settings().capacity() > 0 && view.ownedSegments().isEmpty() && patient;
      if (moving || empty) {
        return "The node gets its first copies";
      }
      settled = true;
    }
    return null;
  }
}
