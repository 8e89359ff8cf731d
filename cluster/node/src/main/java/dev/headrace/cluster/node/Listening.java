package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.wire.WireListener;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadRequest;
import org.jspecify.annotations.Nullable;

/**
 * The wire's listener, before and after the node has an engine: the engine needs the wire's port,
 * and the wire needs a listener. A message that comes too early is lost, as on a lost connection.
 */
final class Listening implements WireListener {
  private volatile @Nullable NodeEngine engine;

  void to(NodeEngine made) {
    engine = made;
  }

  @Nullable Member member(NodeId id) {
    NodeEngine present = engine;
    return present == null ? null : present.member(id);
  }

  /** The largest entry of the cluster, or of this node while there is no engine. */
  int maxEntryBytes(NodeSettings settings) {
    NodeEngine present = engine;
    return present == null ? settings.maxEntryBytes() : present.opening().maxEntryBytes();
  }

  void read(ReadRequest request, ReadReply reply) {
    NodeEngine present = engine;
    if (present == null) {
      reply.fail("the node is still starting");
    } else {
      present.read(request, reply);
    }
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    NodeEngine present = engine;
    if (present != null) {
      present.onMessage(from, message);
    }
  }

  @Override
  public void onProgress(NodeId from, int share) {
    NodeEngine present = engine;
    if (present != null) {
      present.onProgress(from, share);
    }
  }

  @Override
  public void onHungUp(NodeId node) {
    NodeEngine present = engine;
    if (present != null) {
      present.onHungUp(node);
    }
  }

  @Override
  public void onDisconnected(NodeId node) {
    NodeEngine present = engine;
    if (present != null) {
      present.onDisconnected(node);
    }
  }
}
