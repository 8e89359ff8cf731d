package dev.headrace.stream;

import java.util.List;

/**
 * How messages leave this node; a port that the cluster implements.
 *
 * <p>Messages to one node arrive in the order in which they were sent as long as its connection
 * lives; with a lost connection any number of the last ones may be lost, and whoever sent them is
 * told that the node was disconnected.
 */
@FunctionalInterface
public interface Transport {

  /**
   * Sends a message, or loses it if there is no connection and none can be opened. Never blocks,
   * never throws for a lost message; may be called from any thread.
   */
  void send(NodeId to, Message message);

  /** Sends messages in their order; a transport may be quicker with them than one by one. */
  default void send(NodeId to, List<? extends Message> messages) {
    messages.forEach(message -> send(to, message));
  }
}
