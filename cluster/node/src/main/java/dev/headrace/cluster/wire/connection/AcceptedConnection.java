package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A connection that the peer has opened, and over which this node's link to it sends, too: what one
 * node sends then carries the acknowledgements of what the other one sends. Over two connections,
 * which TCP acknowledges apart, a message and its answer would be four packets.
 */
final class AcceptedConnection extends LinkConnection {
  private final Offer offer;
  private final FrameReceiver receiver;

  AcceptedConnection(Link<?> link, Offer offer, FrameReceiver receiver) {
    super(link, offer.encryption());
    this.offer = offer;
    this.receiver = receiver;
    over(offer.channel(), DirectServerChannel.socket(offer.channel()));
  }

  /** Whether the peer has opened it before another one. */
  boolean isBefore(Offer other) {
    return offer.number() < other.number();
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
