package dev.headrace.cluster.wire;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;

/** Receives what arrives at a {@link WireTransport}. The executor for operations calls it. */
public interface WireListener {

  /**
   * A message has arrived. Must not block: by default this runs on the event loop that received it.
   */
  void onMessage(NodeId from, Message message);

  /**
   * A large message from the node makes progress. Called a few times a second.
   *
   * @param share which of its connections for messages it comes over, from 0
   */
  default void onProgress(NodeId from, int share) {}

  /**
   * A connection for messages to or from the node was lost, or could not be opened. Messages under
   * way in either direction may be lost with it.
   */
  void onDisconnected(NodeId node);

  /**
   * The node has closed or reset a connection over which this node sent it messages. {@link
   * #onDisconnected} follows.
   */
  default void onHungUp(NodeId node) {}
}
