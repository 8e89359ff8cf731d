package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.security.SharedSecret;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that this node opens: connects, and does the caller's side of the handshake. A link
 * makes a new one after each loss. Mutable fields belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
final class OpenedConnection extends LinkConnection {
  private final EventLoop loop;
  private final FrameReceiver receiver;
  private final WireInput in = new WireInput();
  private final FrameReader reader;
  private final @Nullable Proofs proofs;
  private @Nullable Handshake handshake; // written once, before it connects
  private int protocol; // the same

  OpenedConnection(Link<?> link, EventLoop loop) {
    super(link, link.wire().encryption(true));
    this.loop = loop;
    this.receiver = link.use().receiver();
    SharedSecret secret = link.wire().security().secret();
    this.proofs = secret == null ? null : new Proofs(secret);
    this.reader =
        new FrameReader(
            link.wire().allocator(),
            encryption() == null ? FrameReader.HEADER_STAGING_BYTES : FrameReader.STAGING_BYTES,
            this,
            encryption() != null);
  }

  void connect(Member member, Handshake identities) throws IOException {
    Link<?> link = link();
    Encryption encryption = encryption();
    handshake = identities;
    protocol = ProtocolVersions.OWN.spokenWith(member.versions());
    Loops.Connector connector = link.wire().loops().connector(loop);
    ChannelFuture connecting =
        connector
            .bootstrap()
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel fresh) {
                    link.wire().channels().add(fresh);
                    if (encryption != null) {
                      encryption.addTo(fresh);
                    }
                    fresh.pipeline().addLast(reader);
                  }
                })
            .connect(member.host(), member.dataPort());
    over(connecting.channel(), connector.socket());
    connecting.addListener(
        done -> {
          Throwable failure = Loops.failure(connecting);
          if (failure != null) {
            link.lose(
                this,
                new WireException(
                    "no connection to %s: %s".formatted(member, failure.getMessage()), failure));
          } else if (encryption == null) {
            greet(connecting.channel(), identities);
          } else {
            encryption
                .handshake()
                .addListener(
                    shaken -> {
                      if (shaken.isSuccess()) { // otherwise the reader notices
                        greet(connecting.channel(), identities);
                      }
                    });
          }
        });
  }

  private void greet(Channel connected, Handshake identities) {
    ByteBuf hello = frame();
    if (proofs != null) {
      proofs.encodeHello(hello);
    } else {
      identities.encode(link().wire().security().mode(), hello);
    }
    send(connected, hello, Frame.HELLO);
    loop.schedule(
        () -> {
          if (!isOpen()) {
            reader.fail(
                new WireException(
                    "%s did not answer the handshake within %d s"
                        .formatted(connected.remoteAddress(), Wire.HANDSHAKE_TIMEOUT_SECONDS)));
          }
        },
        Wire.HANDSHAKE_TIMEOUT_SECONDS,
        TimeUnit.SECONDS);
  }

  private ByteBuf frame() {
    ByteBuf out = link().wire().allocator().directBuffer(Handshake.LIMIT_BYTES);
    return out.writerIndex(Frame.HEADER_BYTES);
  }

  private void send(Channel connected, ByteBuf out, byte type) {
    new Frame(protocol).write(out, 0, type, 0);
    connected.writeAndFlush(out, connected.voidPromise());
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    if (isOpen()) {
      return receiver.bodyLimitBytes(type, correlation);
    }
    boolean answer = type == Frame.WELCOME || type == Frame.REFUSAL;
    if (!answer && (proofs == null || type != Frame.CHALLENGE)) {
      throw new WireException("a frame of type %d instead of a welcome".formatted(type));
    }
    return Handshake.LIMIT_BYTES;
  }

  @Override
  public boolean keepsBody(byte type) {
    return isOpen() && receiver.keepsBody(type);
  }

  @Override
  public void progressed() {
    if (isOpen()) {
      receiver.progressed();
    }
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    if (isOpen()) {
      receiver.frame(type, correlation, body);
    } else if (type == Frame.WELCOME) {
      if (proofs != null) {
        proofs.checkWelcome(in.over(body));
      }
      open();
      // Messages are small, and many come at once; batches are large, and go to buffers of their
      // own.
      if (link().connectionClass() == ConnectionClass.OPERATIONS) {
        reader.known(this, FrameReader.STAGING_BYTES);
      } else {
        reader.watch();
      }
      link().ready(this);
    } else if (type == Frame.CHALLENGE) {
      prove(in.over(body));
    } else {
      throw new WireException(
          "node %s refused the connection: %s".formatted(link().peer(), in.over(body).readName()));
    }
  }

  private void prove(WireInput challenge) {
    Channel connected = channel();
    Handshake identities = handshake;
    if (proofs != null && connected != null && identities != null) {
      ByteBuf out = frame();
      try {
        proofs.encodeProof(challenge, identities, out);
      } catch (RuntimeException e) {
        out.release();
        throw e;
      }
      send(connected, out, Frame.PROOF);
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    ended(cause);
  }
}
