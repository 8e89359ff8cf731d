package dev.headrace.cluster.service;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * A transport that also takes messages to this node: they arrive at once, on the sender's thread.
 */
public final class Outgoing implements Transport {
  private final NodeId self;
  private final Transport network;
  private final BiConsumer<NodeId, Message> here;
  private final BiConsumer<NodeId, List<? extends Message>> hereTogether;

  /**
   * @param network takes messages to other nodes
   * @param here takes messages from this node to itself
   * @param hereTogether takes several that were sent together
   */
  public Outgoing(
      NodeId self,
      Transport network,
      BiConsumer<NodeId, Message> here,
      BiConsumer<NodeId, List<? extends Message>> hereTogether) {
    this.self = self;
    this.network = network;
    this.here = here;
    this.hereTogether = hereTogether;
  }

  @Override
  public void send(NodeId to, Message message) {
    if (to.equals(self)) {
      here.accept(self, message);
    } else {
      network.send(to, message);
    }
  }

  /** Sends a message. One to this node arrives on the executor. */
  public void send(NodeId to, Message message, Executor own) {
    if (to.equals(self)) {
      own.execute(() -> here.accept(self, message));
    } else {
      network.send(to, message);
    }
  }

  @Override
  public void send(NodeId to, List<? extends Message> messages) {
    if (to.equals(self)) {
      hereTogether.accept(self, messages);
    } else {
      network.send(to, messages);
    }
  }
}
