package dev.headrace.cluster.wire;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.cluster.wire.connection.LinkUse;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.rebalance.message.Message;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;

/** The connections that this node opens to another one. Thread-safe. */
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
    reads = new ReadClient[settings.bulkConnections()];
    for (int i = 0; i < reads.length; i++) {
      reads[i] = new ReadClient(wire, node, settings.maxEntryBytes());
    }
  }

  void send(Message message) {
    messages.send(message); // a refused message is lost together with its connection
  }

  void read(PendingRead read) {
    ReadClient least = reads[0];
    for (int i = 1; i < reads.length; i++) {
      if (reads[i].pending() < least.pending()) {
        least = reads[i];
      }
    }
    least.read(read);
  }

  void close(boolean orderly, Throwable cause) {
    messages.close(orderly, cause);
    for (ReadClient client : reads) {
      client.close(orderly, cause);
    }
  }

  /** Over a connection for operations the node that opened it speaks and the other listens. */
  private record MessageUse(WireSettings settings, NodeId node, WireListener listener)
      implements LinkUse<Message> {

    @Override
    public Runnable lost(Throwable cause) {
      return () -> settings.operations().execute(() -> listener.onDisconnected(node));
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
