package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.security.PortSecurity.Mode;
import dev.headrace.cluster.security.SharedSecret;
import dev.headrace.cluster.wire.codec.WireInput;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An accepted connection until both sides know each other: the callee's side of the handshake. A
 * caller that is not in this node's table yet waits for a while, since this node may hear of it
 * later than others. Only members are served.
 *
 * <pre>
 * state   event            guard                            next     effects
 * --------------------------------------------------------------------------------------------------
 * HELLO   HELLO frame      another kind of security         refused  REFUSAL, close
 * HELLO   HELLO frame      a shared secret                  PROOF    CHALLENGE
 * HELLO   HELLO frame      no secret                        greeted
 * PROOF   PROOF frame      it does not prove the secret     refused  REFUSAL, close
 * PROOF   PROOF frame      it does                          greeted
 * HELLO,  10 s pass, or                                     closed
 * PROOF   another frame
 * greeted at once, then    another cluster or node is       refused  REFUSAL, close
 *         every 5 ms       meant, or no member for 5 s
 * greeted the same         the caller is a member           member
 * member  at once, then    it may cross one of this         member
 *         every 5 ms       node's, see Link
 * member  the same                                          served   WELCOME; frames go to the
 *                                                                    acceptor's receiver
 * any     more room wanted                                  closed
 * </pre>
 *
 * <p>Two nodes that open a connection of one share to each other at the same time need only one:
 * the lesser node lets the greater wait, which takes the lesser's for its own.
 *
 * <p>Belongs to the connection's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
final class PendingConnection implements FrameHandler {

  /** How often a connection that waits is looked at. */
  static final long CHECK_MILLIS = 5;

  private static final long MEMBER_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Wire wire;
  private final ConnectionAcceptor acceptor;
  private final Channel channel;
  private final FrameReader reader;
  private final @Nullable Encryption encryption;
  private final long number;
  private final @Nullable Proofs proofs;
  private final WireInput in = new WireInput();
  private byte expected = Frame.HELLO;
  private boolean greeted;
  private @Nullable Future<?> deadline;

  /** Does not read yet. */
  PendingConnection(Wire wire, ConnectionAcceptor acceptor, Channel channel, long number) {
    this.wire = wire;
    this.acceptor = acceptor;
    this.channel = channel;
    this.number = number;
    SharedSecret secret = wire.security().secret();
    proofs = secret == null ? null : new Proofs(secret);
    encryption = wire.encryption(false);
    reader =
        new FrameReader(
            wire.allocator(), FrameReader.HEADER_STAGING_BYTES, this, encryption != null);
  }

  void start() {
    if (encryption != null) {
      encryption.addTo(channel);
    }
    channel.pipeline().addLast(reader);
    deadline =
        channel
            .eventLoop()
            .schedule(this::expire, Wire.HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Closes the connection to make room for another one. Logs nothing, since there may be many. May
   * be called by any thread.
   */
  void makeRoom() {
    channel
        .eventLoop()
        .execute(
            () -> {
              reader.stop(new ClosedChannelException());
              channel.close();
            });
  }

  private void expire() {
    if (!greeted) {
      reader.fail(
          new WireException(
              "%s sent no handshake within %d s"
                  .formatted(channel.remoteAddress(), Wire.HANDSHAKE_TIMEOUT_SECONDS)));
    }
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    if (greeted) {
      throw new WireException("a frame of type %d before the welcome".formatted(type));
    }
    if (type != expected) {
      throw new WireException("a frame of type %d instead of a handshake".formatted(type));
    }
    return Handshake.LIMIT_BYTES;
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    in.over(body);
    if (type == Frame.PROOF && proofs != null) {
      Handshake proved = proofs.check(in, wire.clusterName(), wire.self());
      if (proved == null) {
        refuse(
            "the caller does not know the secret of this node's cluster, or looks for another node"
                + " or cluster");
      } else {
        judge(proved);
      }
      return;
    }
    Mode mode = Handshake.decodeFront(in);
    Mode own = wire.security().mode();
    if (mode != own) {
      refuse("the caller's security is %s, this node's is another".formatted(mode));
    } else if (proofs != null) {
      expected = Frame.PROOF;
      ByteBuf out = frame();
      try {
        proofs.encodeChallenge(in, out);
      } catch (RuntimeException e) {
        out.release();
        throw e;
      }
      write(out, Frame.CHALLENGE);
    } else {
      judge(Handshake.decode(in));
    }
  }

  private void judge(Handshake handshake) {
    String objection = handshake.objection(wire.clusterName(), wire.self());
    greeted = true;
    if (objection != null) {
      refuse(objection);
    } else {
      awaitMember(handshake, System.nanoTime());
    }
  }

  private void awaitMember(Handshake handshake, long sinceNanos) {
    if (!channel.isActive()) {
      return;
    }
    if (wire.members().apply(handshake.caller()) != null
        && acceptor.serve(handshake.caller(), channel)) {
      take(handshake);
    } else if (System.nanoTime() - sinceNanos > MEMBER_WAIT_NANOS) {
      refuse("node %s is not a member of the cluster".formatted(handshake.caller()));
    } else {
      checkLater(() -> awaitMember(handshake, sinceNanos));
    }
  }

  private void checkLater(Runnable check) {
    channel.eventLoop().schedule(check, CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void refuse(String reason) {
    greeted = true;
    ByteBuf out = frame();
    Handshake.encodeReason(reason, out);
    new Frame(reader.protocol()).write(out, 0, Frame.REFUSAL, 0);
    reader.stop(new WireException("refused %s: %s".formatted(channel.remoteAddress(), reason)));
    channel.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  private void take(Handshake handshake) {
    acceptor.known(this);
    forgetDeadline();
    EventLoop loop = wire.loops().of(handshake.connectionClass(), handshake.share());
    if (loop.inEventLoop()) {
      offer(handshake);
    } else {
      channel.config().setAutoRead(false);
      // Not before the read loop that calls this has ended.
      channel.eventLoop().execute(() -> move(loop, handshake));
    }
  }

  private void move(EventLoop loop, Handshake handshake) {
    channel
        .deregister()
        .addListener(
            gone ->
                loop.register(channel)
                    .addListener(
                        moved -> {
                          if (moved.isSuccess()) {
                            offer(handshake);
                            channel.config().setAutoRead(true);
                          } else {
                            channel.close();
                            reader.end(); // a channel without a loop never becomes inactive
                          }
                        }));
  }

  private void offer(Handshake handshake) {
    reader.endWithChannel();
    welcome(handshake, new Offer(channel, encryption, number, 0));
  }

  private void welcome(Handshake handshake, Offer offer) {
    FrameHandler receiver = acceptor.receivers().receiver(handshake, reader, offer);
    if (receiver == null) {
      checkLater(
          () -> {
            if (channel.isActive()) {
              welcome(handshake, offer.again());
            }
          });
      return;
    }
    reader.known(receiver, FrameReader.STAGING_BYTES);
    ByteBuf out = frame();
    if (proofs != null) {
      proofs.encodeWelcome(out);
    }
    new Frame(reader.protocol()).write(out, 0, Frame.WELCOME, 0);
    channel
        .writeAndFlush(out)
        .addListener(
            written -> {
              if (written.isSuccess()) {
                receiver.welcomed();
              }
            });
  }

  private ByteBuf frame() {
    ByteBuf out = wire.allocator().directBuffer(Handshake.LIMIT_BYTES);
    return out.writerIndex(Frame.HEADER_BYTES);
  }

  private void write(ByteBuf out, byte type) {
    new Frame(reader.protocol()).write(out, 0, type, 0);
    channel.writeAndFlush(out, channel.voidPromise());
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    greeted = true;
    forgetDeadline();
  }

  /** Cancels the deadline: its task would keep the connection in memory until it is due. */
  private void forgetDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
    }
  }
}
