package dev.headrace.cluster.wire;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.cluster.wire.connection.LinkUse;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** This node's connections to another node. Thread-safe. */
final class Peer {
  private final Link<Message> messages;
  private final ReadClient[] reads;

  Peer(Wire wire, WireSettings settings, NodeId node, WireListener listener) {
    messages =
        new Link<>(
            wire,
            node,
            ConnectionClass.OPERATIONS,
            new MessageCodec(),
            new MessageUse(settings, node, listener));
    reads = new ReadClient[settings.sizes().bulkConnections()];
    for (int i = 0; i < reads.length; i++) {
      reads[i] = new ReadClient(wire, node, settings);
    }
  }

  void send(Message message) {
    messages.send(message); // a refused message is lost with its connection
  }

  void send(List<? extends Message> several) {
    messages.send(several);
  }

  void read(PendingRemoteRead read) {
    ReadClient least = reads[0];
    for (int i = 1; i < reads.length; i++) {
      if (reads[i].pending() < least.pending()) {
        least = reads[i];
      }
    }
    least.read(read);
  }

  /** Whether so many messages wait that a sender should hold back what is not urgent. */
  boolean congested() {
    return messages.congested();
  }

  /**
   * Fails the requests that wait for answers and closes the connections.
   *
   * @param orderly whether messages that were sent before are still written
   * @return completed when the connections are closed
   */
  CompletableFuture<@Nullable Void> close(boolean orderly, Throwable cause) {
    for (ReadClient client : reads) {
      client.close(cause);
    }
    return messages.close(orderly, cause);
  }

  /** Only the node that has opened a connection for operations sends messages on it. */
  private record MessageUse(WireSettings settings, NodeId node, WireListener listener)
      implements LinkUse<Message> {

    @Override
    public long maxQueuedBytes() {
      return settings.queueLimitBytes();
    }

    @Override
    public Runnable lost(Throwable cause) {
      return () -> settings.handOver().operations().execute(() -> listener.onDisconnected(node));
    }

    @Override
    public void hungUp() {
      settings.handOver().operations().execute(() -> listener.onHungUp(node));
    }

    @Override
    public int bodyLimitBytes(byte type, long correlation) {
      throw new WireException(
          "a frame of type %d on a connection that only this node sends on".formatted(type));
    }

    @Override
    public void frame(byte type, long correlation, ByteBuf body) {
      throw new AssertionError("no frame is allowed");
    }
  }
}
