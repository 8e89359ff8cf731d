package dev.headrace.cluster.node;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * A transport that takes messages to this node, too: they arrive at once, on the sender's thread.
 */
final class Outgoing implements Transport {
  private final NodeId self;
  private final Transport network;
  private final BiConsumer<NodeId, Message> here;

  /**
   * @param network takes messages to other nodes
   * @param here what becomes of a message from this node
   */
  Outgoing(NodeId self, Transport network, BiConsumer<NodeId, Message> here) {
    this.self = self;
    this.network = network;
    this.here = here;
  }

  @Override
  public void send(NodeId to, Message message) {
    if (to.equals(self)) {
      here.accept(self, message);
    } else {
      network.send(to, message);
    }
  }

  /** Sends a message; one to this node arrives on an executor. */
  void send(NodeId to, Message message, Executor own) {
    if (to.equals(self)) {
      own.execute(() -> here.accept(self, message));
    } else {
      network.send(to, message);
    }
  }

  @Override
  public void send(NodeId to, List<? extends Message> messages) {
    if (to.equals(self)) {
      messages.forEach(message -> here.accept(self, message));
    } else {
      network.send(to, messages);
    }
  }
}
