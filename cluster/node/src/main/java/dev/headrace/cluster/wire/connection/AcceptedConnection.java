package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * A connection that the peer has opened, and over which this node's link to it sends, too: what one
 * node sends then carries the acknowledgements of what the other one sends. Over two connections,
 * which TCP acknowledges apart, a message and its answer would be four packets.
 */
final class AcceptedConnection extends LinkConnection {
  private final FrameReceiver receiver;

  AcceptedConnection(
      Link<?> link, Channel channel, @Nullable Encryption encryption, FrameReceiver receiver) {
    super(link, encryption);
    this.receiver = receiver;
    over(channel, DirectServerChannel.socket(channel));
  }

  @Override
  public void welcomed() {
    open();
    link().ready(this);
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    return receiver.bodyLimitBytes(type, correlation);
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    receiver.frame(type, correlation, body);
  }

  @Override
  public void progressed() {
    receiver.progressed();
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    ended(cause);
  }
}
