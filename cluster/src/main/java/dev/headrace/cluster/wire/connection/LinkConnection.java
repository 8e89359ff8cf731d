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
 * <p>It writes in one of two ways: with a socket that any thread may write to, at once; without, on
 * the event loop through the channel. The link's rule that at most one thread writes guards {@link
 * #stalled}; what else changes belongs to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
final class LinkConnection implements FrameHandler {
  private static final long HANDSHAKE_TIMEOUT_SECONDS = 10;

  private final Link<?> link;
  private final EventLoop loop;
  private final WireInput in = new WireInput();
  private final FrameReader reader;
  private volatile @Nullable Channel channel;
  private volatile @Nullable SocketChannel socket;
  private boolean welcome;
  private boolean stalled;
  private final Runnable writeNow;
  private final Runnable writeOnLoop;

  LinkConnection(Link<?> link, EventLoop loop) {
    this.link = link;
    this.loop = loop;
    this.reader = new FrameReader(link.wire().allocator(), FrameReader.HEADER_STAGING_BYTES, this);
    this.writeNow = () -> link.write(this);
    this.writeOnLoop = () -> link.onLoop(writeNow);
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
  Runnable startWriting() {
    return socket == null || loop.inEventLoop() ? writeOnLoop : writeNow;
  }

  /** Whether the next buffer may be written. */
  boolean wantsMore() {
    Channel open = channel;
    stalled = socket == null && open != null && !open.isWritable();
    return !stalled;
  }

  /**
   * Called when nothing more is written for now.
   *
   * @return whether the connection goes on writing by itself later
   */
  boolean stopped() {
    Channel open = channel;
    if (socket == null && open != null) {
      // Not now: flushing may make the channel writable, and the link's lock is held.
      link.onLoop(open::flush);
    }
    return stalled;
  }

  /** Whether a buffer that was written completely is the writer's again. */
  boolean writesAtOnce() {
    return socket != null;
  }

  /** Writes a buffer; returns false if the event loop finishes it and then goes on writing. */
  boolean write(ByteBuf next) {
    SocketChannel direct = socket;
    Channel open = channel;
    if (open == null) {
      next.release();
      return false;
    }
    if (direct == null) {
      open.write(next, open.voidPromise());
      return true;
    }
    try {
      int bytes = next.readableBytes();
      int written = direct.write(next.internalNioBuffer(next.readerIndex(), bytes));
      if (written == bytes) {
        return true;
      }
      next.skipBytes(written);
      link.onLoop(() -> finish(open, next));
    } catch (IOException e) {
      next.release();
      link.onLoop(() -> link.lose(this, new WireException("a connection broke", e)));
    }
    return false;
  }

  private void finish(Channel open, ByteBuf rest) {
    open.writeAndFlush(rest)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                link.write(this);
              } else {
                link.lose(this, done.cause());
              }
            });
  }

  /** Writes a buffer before the connection is closed. */
  void writeLater(ByteBuf next) {
    Channel open = channel;
    if (open == null) {
      next.release();
    } else {
      open.writeAndFlush(next, open.voidPromise());
    }
  }

  void close() {
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
  public void writabilityChanged() {
    if (stalled) {
      link.write(this);
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
