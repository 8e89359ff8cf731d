package dev.headrace.cluster.membership;

import dev.headrace.stream.NodeId;
import java.util.concurrent.Executor;

/** A node's place among the nodes of its cluster. Thread-safe. */
public interface Membership extends AutoCloseable {

  /** The largest control message, in bytes. */
  int MAX_MESSAGE_BYTES = 64 << 20;

  /** This node's identity; known before the start, and another one after a restart. */
  NodeId self();

  /**
   * Joins the cluster, or founds it if nobody else is found; once per membership.
   *
   * @param listener is called by one thread, in order; its first view has been delivered when this
   *     method returns
   * @throws dev.headrace.api.error.HeadraceException if the node cannot listen or join; the message
   *     names the setting to change
   */
  void start(MembershipListener listener);

  /**
   * Sends a control message: reliable while both nodes are members, in order per pair of nodes. A
   * message to a node that is not in the newest view is dropped; one to this node itself is
   * delivered as any other. Never blocks.
   *
   * @throws IllegalArgumentException if it is larger than {@link #MAX_MESSAGE_BYTES}
   * @throws dev.headrace.api.error.NodeClosedException before the start and after the end
   */
  void send(NodeId to, byte[] message);

  /**
   * Sends a short control message before others that wait for the same node. It may be lost, and
   * overtakes those: for what is said again soon, such as that a coordinator is there. Otherwise as
   * {@link #send}.
   */
  default void sendFirst(NodeId to, byte[] message) {
    send(to, message);
  }

  /**
   * Runs tasks on the thread that calls the listener, in order with its calls: what has to be one
   * thing after the other with them need not change threads. Before the start it holds them, after
   * the end it drops them.
   */
  Executor executor();

  /** What people call a node that is or was in the view; its identity where no name is known. */
  default String nameOf(NodeId id) {
    return id.toString();
  }

  /** Leaves in order. No callback runs after it returns, unless a callback itself called it. */
  @Override
  void close();

  /** Ends as a crashed process would: sockets are closed, nobody is told. */
  void kill();
}
