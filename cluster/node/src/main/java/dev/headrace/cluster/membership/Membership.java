package dev.headrace.cluster.membership;

import dev.headrace.stream.NodeId;
import java.util.concurrent.Executor;

/** Joins a cluster, reports its views, and sends control messages to its nodes. Thread-safe. */
public interface Membership extends AutoCloseable {

  /** The largest control message, in bytes. */
  int MAX_MESSAGE_BYTES = 64 << 20;

  /** This node's identity. It is known before the start, and changes with a restart. */
  NodeId self();

  /**
   * Joins the cluster, or founds it if no other node is found. Can be called once.
   *
   * @param listener called by one thread, in order; it has had its first view when this method
   *     returns
   * @throws dev.headrace.api.error.HeadraceException if the node cannot listen or join; the message
   *     names the setting to change
   * @throws IllegalStateException if it was started before
   */
  void start(MembershipListener listener);

  /**
   * Sends a control message. Delivery is reliable while both nodes are members, and in order for
   * each pair of nodes. A message to a node outside the newest view is dropped; one to this node is
   * delivered like any other. Never blocks.
   *
   * @throws IllegalArgumentException if it is larger than {@link #MAX_MESSAGE_BYTES}
   * @throws dev.headrace.api.error.NodeClosedException before the start and after the end
   */
  void send(NodeId to, byte[] message);

  /**
   * Sends a short control message ahead of those that wait for the same node, like {@link #send}
   * otherwise. It may be lost: use it for messages that are repeated, such as a coordinator's
   * heartbeats.
   */
  default void sendFirst(NodeId to, byte[] message) {
    send(to, message);
  }

  /**
   * Runs tasks on the thread that calls the listener, in order with its calls. It holds tasks until
   * the start, and drops them after the end.
   */
  Executor executor();

  /** The name of a node that is or was in the view, or its identity if no name is known. */
  default String nameOf(NodeId id) {
    return id.toString();
  }

  /**
   * Leaves the cluster in order. No callback runs after it returns, unless a callback called it.
   */
  @Override
  void close();

  /** Closes all sockets without telling other nodes, as a crash of the process does. */
  void kill();
}
