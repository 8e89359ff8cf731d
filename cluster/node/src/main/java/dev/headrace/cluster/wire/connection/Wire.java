package dev.headrace.cluster.wire.connection;

import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.security.TlsIdentity;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all connections of one transport share.
 *
 * @param clusterName the name of this node's cluster
 * @param self this node
 * @param loops the event loops
 * @param allocator allocates all buffers
 * @param members finds where a node listens; null for a node that is not a member
 * @param security what both sides of a connection have to prove
 * @param queues counts the bytes that wait to be sent over all connections
 * @param channels the open ones. When the group has been closed, it closes what is added: an event
 *     loop that ends need not close what is registered with it
 */
public record Wire(
    String clusterName,
    NodeId self,
    Loops loops,
    ByteBufAllocator allocator,
    Function<NodeId, @Nullable Member> members,
    PortSecurity security,
    QueueMemory queues,
    ChannelGroup channels) {

  /** How long the handshake of a connection may take. */
  static final long HANDSHAKE_TIMEOUT_SECONDS = 10;

  /** Has no channel yet. */
  public static Wire of(
      String clusterName,
      NodeId self,
      Loops loops,
      ByteBufAllocator allocator,
      Function<NodeId, @Nullable Member> members,
      PortSecurity security) {
    return new Wire(
        clusterName,
        self,
        loops,
        allocator,
        members,
        security,
        new QueueMemory(),
        newChannelGroup());
  }

  static ChannelGroup newChannelGroup() {
    return new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  }

  /**
   * TLS for a connection; null without TLS.
   *
   * @param caller whether this node opens the connection
   */
  @Nullable Encryption encryption(boolean caller) {
    TlsIdentity identity = security.tls();
    return identity == null ? null : new Encryption(identity.engine(caller), allocator);
  }
}
