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
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a {@link Link}, from connecting to its end. A link makes a new one after each
 * loss.
 *
 * <p>The writer, which may be any thread, encrypts if there is {@link Encryption}, and writes to
 * the socket directly. Only what the socket does not take goes through the channel. Mutable fields
 * belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
final class LinkConnection implements FrameHandler {
  /** The most bytes that the event loop writes before it reports progress. */
  private static final int PIECE_BYTES = 1 << 20;

  private final Link<?> link;
  private final EventLoop loop;
  private final WireInput in = new WireInput();
  private final FrameReader reader;
  private final @Nullable Encryption encryption;
  private final @Nullable Proofs proofs;
  private volatile @Nullable Channel channel;
  private volatile @Nullable SocketChannel socket;
  private volatile boolean closed;
  private boolean welcome;
  private @Nullable Handshake handshake; // written once, before it connects
  private int protocol; // the same
  private final Runnable writeNow;
  private final Runnable writeLater;

  LinkConnection(Link<?> link, EventLoop loop) {
    this.link = link;
    this.loop = loop;
    SharedSecret secret = link.wire().security().secret();
    this.proofs = secret == null ? null : new Proofs(secret);
    this.encryption = link.wire().encryption();
    this.reader =
        new FrameReader(
            link.wire().allocator(),
            encryption == null ? FrameReader.HEADER_STAGING_BYTES : FrameReader.STAGING_BYTES,
            this,
            encryption != null);
    this.writeNow = () -> link.write(this);
    Runnable writeIfDue = () -> link.writeIfDue(this);
    this.writeLater = () -> link.onLoop(writeIfDue);
  }

  void connect(Member member, Handshake identities) throws IOException {
    handshake = identities;
    protocol = ProtocolVersions.OWN.spokenWith(member.versions());
    Loops.Connector connector = link.wire().loops().connector(loop);
    socket = connector.socket();
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
    channel = connecting.channel();
    if (closed) { // there was no channel to close
      connecting.channel().close();
    }
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            link.lose(
                this,
                new WireException(
                    "no connection to %s: %s".formatted(member, done.cause().getMessage()),
                    done.cause()));
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
      identities.encode(link.wire().security().mode(), hello);
    }
    write(connected, hello, Frame.HELLO);
    loop.schedule(
        () -> {
          if (!welcome) {
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
    ByteBuf out = link.wire().allocator().directBuffer(Handshake.LIMIT_BYTES);
    return out.writerIndex(Frame.HEADER_BYTES);
  }

  private void write(Channel connected, ByteBuf out, byte type) {
    new Frame(protocol).write(out, 0, type, 0);
    connected.writeAndFlush(out, connected.voidPromise());
  }

  /** The task of a sender that has become the writer. */
  Runnable writeNow() {
    return writeNow;
  }

  /** The task by which the event loop writes when it has handled what it received. */
  Runnable writeLater() {
    return writeLater;
  }

  /**
   * Writes a buffer.
   *
   * @return whether all of it was written, so that the caller owns it again; otherwise the event
   *     loop writes the rest and becomes the writer
   */
  boolean write(ByteBuf next) {
    SocketChannel direct = socket;
    Channel open = channel;
    if (open == null || direct == null) {
      next.release();
      return false;
    }
    if (encryption != null) {
      return writeEncrypted(encryption, open, direct, next);
    }
    try {
      if (writeAtOnce(direct, next)) {
        return true;
      }
      later(() -> finish(open, next), next);
    } catch (IOException e) {
      next.release();
      broke(e);
    }
    return false;
  }

  /** Encrypts and writes a buffer. If it is large, the event loop writes it in pieces. */
  private boolean writeEncrypted(Encryption tls, Channel open, SocketChannel direct, ByteBuf next) {
    if (next.readableBytes() > PIECE_BYTES) {
      later(() -> finish(open, next), next);
      return false;
    }
    ByteBuf records = null;
    try {
      records = tls.encrypt(next);
      if (writeAtOnce(direct, records)) {
        tls.written(records);
        return true;
      }
      ByteBuf rest = records;
      next.release();
      later(() -> tls.write(open, rest).addListener(this::finished), rest);
    } catch (IOException e) {
      if (records != null) {
        records.release();
      }
      next.release();
      broke(e);
    }
    return false;
  }

  /** Writes what the socket takes, and skips it. Returns whether that was everything. */
  private static boolean writeAtOnce(SocketChannel direct, ByteBuf next) throws IOException {
    int bytes = next.readableBytes();
    int written = direct.write(next.internalNioBuffer(next.readerIndex(), bytes));
    if (written < bytes) {
      next.skipBytes(written);
    }
    return written == bytes;
  }

  private void later(Runnable task, ByteBuf owned) {
    if (!link.onLoop(task)) {
      owned.release();
    }
  }

  private void broke(IOException cause) {
    link.onLoop(
        () -> {
          noteHangUp(cause);
          link.lose(this, new WireException("a connection broke", cause));
        });
  }

  /** Reports it if the peer has ended the connection. Called on the loop. */
  private void noteHangUp(@Nullable Throwable cause) {
    if (welcome && !closed && isByPeer(cause)) {
      link.use().hungUp();
    }
  }

  /** Writes the rest of a buffer, then the next ones. Called on the loop. */
  private void finish(Channel open, ByteBuf rest) {
    boolean last = rest.readableBytes() <= PIECE_BYTES;
    ByteBuf piece = last ? rest : rest.readRetainedSlice(PIECE_BYTES);
    leave(open, piece)
        .addListener(
            done -> {
              if (last) {
                finished(done);
              } else if (done.isSuccess()) {
                link.progressed();
                finish(open, rest);
              } else {
                rest.release();
                noteHangUp(done.cause());
                link.lose(this, done.cause());
              }
            });
  }

  private ChannelFuture leave(Channel open, ByteBuf piece) {
    if (encryption == null) {
      return open.writeAndFlush(piece);
    }
    try {
      return encryption.write(open, encryption.encrypt(piece));
    } catch (SSLException e) {
      return open.newFailedFuture(e);
    } finally {
      piece.release();
    }
  }

  private void finished(Future<?> written) {
    if (written.isSuccess()) {
      link.write(this);
    } else {
      noteHangUp(written.cause());
      link.lose(this, written.cause());
    }
  }

  void close() {
    closed = true;
    if (encryption != null) {
      encryption.close();
    }
    Channel open = channel;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    if (welcome) {
      return link.use().bodyLimitBytes(type, correlation);
    }
    boolean answer = type == Frame.WELCOME || type == Frame.REFUSAL;
    if (!answer && (proofs == null || type != Frame.CHALLENGE)) {
      throw new WireException("a frame of type %d instead of a welcome".formatted(type));
    }
    return Handshake.LIMIT_BYTES;
  }

  @Override
  public boolean keepsBody(byte type) {
    return welcome && link.use().keepsBody(type);
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    if (welcome) {
      link.use().frame(type, correlation, body);
    } else if (type == Frame.WELCOME) {
      if (proofs != null) {
        proofs.checkWelcome(in.over(body));
      }
      welcome = true;
      if (encryption != null) {
        encryption.handOver();
      }
      reader.watch();
      link.ready(this);
    } else if (type == Frame.CHALLENGE) {
      prove(in.over(body));
    } else {
      throw new WireException(
          "node %s refused the connection: %s".formatted(link.peer(), in.over(body).readName()));
    }
  }

  private void prove(WireInput challenge) {
    Channel open = channel;
    Handshake identities = handshake;
    if (proofs != null && open != null && identities != null) {
      ByteBuf out = frame();
      try {
        proofs.encodeProof(challenge, identities, out);
      } catch (RuntimeException e) {
        out.release();
        throw e;
      }
      write(open, out, Frame.PROOF);
    }
  }

  /**
   * Whether the peer, and not a failure of the network, has ended the connection. The system's text
   * is the only evidence; an unknown text does not count.
   */
  private static boolean isByPeer(@Nullable Throwable cause) {
    String text = cause == null ? "" : String.valueOf(cause.getMessage());
    return cause == null
        || (cause instanceof IOException
            && (text.contains("Connection reset") || text.contains("Broken pipe")));
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    noteHangUp(cause);
    String node = "the connection to node " + link.peer();
    if (cause == null) {
      link.lose(this, new WireException(node + " was closed by it"));
    } else if (cause instanceof WireException) {
      link.lose(this, cause);
    } else {
      link.lose(this, new WireException(node + " broke: " + cause.getMessage(), cause));
    }
  }
}
