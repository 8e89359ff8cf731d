package dev.headrace.stream;

import java.util.List;

/**
 * How messages leave this node. A port, which the cluster implements.
 *
 * <p>As long as the connections to a node live, messages of one {@link Message#share} to it arrive
 * in the order in which they were sent. A connection that breaks may lose any number of the last
 * messages; the sender is then told that the node was disconnected.
 *
 * <p>What is sent once arrives once at most: a transport never sends a message again by itself. A
 * caller that was refused relies on it: if the attempt of an operation that a primary has refused
 * arrived there once more, it might be carried out.
 */
@FunctionalInterface
public interface Transport {

  /**
   * Sends a message, or drops it if there is no connection and none can be opened. Never blocks,
   * and does not throw when the message is dropped. May be called from any thread.
   */
  void send(NodeId to, Message message);

  /**
   * Sends messages in their order, share by share. A transport may send a list faster than single
   * messages.
   */
  default void send(NodeId to, List<? extends Message> messages) {
    messages.forEach(message -> send(to, message));
  }
}
