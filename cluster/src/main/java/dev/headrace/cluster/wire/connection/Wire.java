package dev.headrace.cluster.wire.connection;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of one transport share.
 *
 * @param clusterName the cluster it belongs to
 * @param self this node
 * @param loops its threads
 * @param allocator where buffers come from
 * @param members where other nodes listen; null for a node that is not a member
 * @param openChannels every channel that has not been closed yet
 */
public record Wire(
    String clusterName,
    NodeId self,
    Loops loops,
    ByteBufAllocator allocator,
    Function<NodeId, @Nullable Member> members,
    Set<Channel> openChannels) {

  /** Without any channel yet. */
  public static Wire of(
      String clusterName,
      NodeId self,
      Loops loops,
      ByteBufAllocator allocator,
      Function<NodeId, @Nullable Member> members) {
    return new Wire(clusterName, self, loops, allocator, members, ConcurrentHashMap.newKeySet());
  }

  /** Remembers a channel until it is closed. */
  void track(Channel channel) {
    openChannels.add(channel);
    channel.closeFuture().addListener(closed -> openChannels.remove(channel));
  }
}
