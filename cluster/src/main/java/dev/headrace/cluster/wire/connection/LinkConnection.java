package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.rebalance.table.Member;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a {@link Link}, from connecting to its end. A link makes a new one every time.
 *
 * <p>Whoever writes writes to the socket itself, at once, whatever thread it is; only what the
 * socket does not take goes through the channel. What changes belongs to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
final class LinkConnection implements FrameHandler {
  private static final long HANDSHAKE_TIMEOUT_SECONDS = 10;

  /** The most bytes that the event loop writes before it tells of its progress. */
  private static final int PIECE_BYTES = 1 << 20;

  private final Link<?> link;
  private final EventLoop loop;
  private final WireInput in = new WireInput();
  private final FrameReader reader;
  private volatile @Nullable Channel channel;
  private volatile @Nullable SocketChannel socket;
  private volatile boolean closed;
  private boolean welcome;
  private final Runnable writeNow;
  private final Runnable writeLater;

  LinkConnection(Link<?> link, EventLoop loop) {
    this.link = link;
    this.loop = loop;
    this.reader = new FrameReader(link.wire().allocator(), FrameReader.HEADER_STAGING_BYTES, this);
    this.writeNow = () -> link.write(this);
    Runnable writeIfDue = () -> link.writeIfDue(this);
    this.writeLater = () -> link.onLoop(writeIfDue);
  }

  void connect(Member member, Handshake handshake) throws IOException {
    Loops.Connector connector = link.wire().loops().connector(loop);
    socket = connector.socket();
    ChannelFuture connecting =
        connector
            .bootstrap()
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel fresh) {
                    link.wire().track(fresh);
                    fresh.pipeline().addLast(reader);
                  }
                })
            .connect(member.host(), member.dataPort());
    channel = connecting.channel();
    if (closed) { // before there was a channel to close
      connecting.channel().close();
    }
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            greet(connecting.channel(), handshake);
          } else {
            link.lose(
                this,
                new WireException(
                    "no connection to %s: %s".formatted(member, done.cause().getMessage()),
                    done.cause()));
          }
        });
  }

  private void greet(Channel connected, Handshake handshake) {
    ByteBuf hello = link.wire().allocator().directBuffer(Handshake.LIMIT_BYTES);
    hello.writerIndex(Frame.HEADER_BYTES);
    handshake.encode(hello);
    new Frame().write(hello, 0, Frame.HELLO, 0);
    connected.writeAndFlush(hello, connected.voidPromise());
    loop.schedule(
        () -> {
          if (!welcome) {
            reader.fail(
                new WireException(
                    "%s did not answer the handshake within %d s"
                        .formatted(connected.remoteAddress(), HANDSHAKE_TIMEOUT_SECONDS)));
          }
        },
        HANDSHAKE_TIMEOUT_SECONDS,
        TimeUnit.SECONDS);
  }

  /** How a sender that has become the writer goes on. */
  Runnable writeNow() {
    return writeNow;
  }

  /** How the event loop writes when it has dealt with what it received. */
  Runnable writeLater() {
    return writeLater;
  }

  /**
   * Writes a buffer, which is the writer's again if it was written completely.
   *
   * @return false if it was not; then the event loop finishes it, and goes on writing
   */
  boolean write(ByteBuf next) {
    SocketChannel direct = socket;
    Channel open = channel;
    if (open == null || direct == null) {
      next.release();
      return false;
    }
    try {
      int bytes = next.readableBytes();
      int written = direct.write(next.internalNioBuffer(next.readerIndex(), bytes));
      if (written == bytes) {
        return true;
      }
      next.skipBytes(written);
      if (!link.onLoop(() -> finish(open, next))) {
        next.release();
      }
    } catch (IOException e) {
      next.release();
      link.onLoop(() -> link.lose(this, new WireException("a connection broke", e)));
    }
    return false;
  }

  /** Writes what is left of a buffer, and goes on with the next one. On the loop. */
  private void finish(Channel open, ByteBuf rest) {
    boolean last = rest.readableBytes() <= PIECE_BYTES;
    ByteBuf piece = last ? rest : rest.readRetainedSlice(PIECE_BYTES);
    open.writeAndFlush(piece)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                if (last) {
                  link.write(this);
                } else {
                  link.progressed();
                  finish(open, rest);
                }
                return;
              }
              if (!last) {
                rest.release();
              }
              link.lose(this, done.cause());
            });
  }

  void close() {
    closed = true;
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
    if (type != Frame.WELCOME && type != Frame.REFUSAL) {
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
      welcome = true;
      link.ready(this);
    } else {
      throw new WireException(
          "node %s refused the connection: %s".formatted(link.peer(), in.over(body).readName()));
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
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
