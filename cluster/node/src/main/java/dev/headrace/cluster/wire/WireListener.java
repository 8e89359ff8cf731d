package dev.headrace.cluster.wire;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;

/** Hears from a {@link WireTransport} what arrives. Called by the executor for operations. */
public interface WireListener {

  /** A message arrived. Must not block: by default it runs on the event loop that received it. */
  void onMessage(NodeId from, Message message);

  /** A large message from the node makes progress; told a few times a second. */
  default void onProgress(NodeId from) {}

  /**
   * A connection for messages to or from the node was lost, or could not be opened; messages on
   * their way in either direction may be lost with it.
   */
  void onDisconnected(NodeId node);

  /**
   * The node has closed or reset a connection for messages to it that was in use. {@link
   * #onDisconnected} follows.
   */
  default void onHungUp(NodeId node) {}
}
