package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.WireInput;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for other nodes and gives each connection, once its handshake is right, to whom it is
 * for. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class Acceptor {
  private static final long HANDSHAKE_TIMEOUT_SECONDS = 10;
  private static final int BACKLOG = 1024;

  /** Far more than a cluster's nodes open to one of them; what comes beyond is closed at once. */
  public static final int MAX_CONNECTIONS = 8192;

  private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

  private final Wire wire;
  private final Receivers receivers;
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();
  private @Nullable Channel listening; // written once, before the transport is handed out

  /** Who takes the frames of an accepted connection. */
  @FunctionalInterface
  public interface Receivers {
    /** The receiver of a connection with this handshake; called on its event loop. */
    FrameHandler receiver(Handshake handshake, Channel channel, FrameReader reader);
  }

  /**
   * Does not listen yet.
   *
   * @param maxConnections how many may be open at the same time
   */
  public Acceptor(Wire wire, Receivers receivers, int maxConnections) {
    this.wire = wire;
    this.receivers = receivers;
    this.maxConnections = maxConnections;
  }

  /**
   * Starts listening.
   *
   * @param port 0 for a free one
   * @return the address and port
   * @throws HeadraceException if the port is taken, or the address is another machine's
   */
  public InetSocketAddress listen(String host, int port) {
    ChannelFuture binding =
        wire.loops()
            .listener()
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(host, port)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new HeadraceException(
          "Cannot listen on %s:%d for other nodes: %s"
              .formatted(host, port, reason(binding.cause())),
          binding.cause());
    }
    listening = binding.channel();
    return (InetSocketAddress) binding.channel().localAddress();
  }

  /** Java tells the two apart by the system's text alone. */
  private static String reason(Throwable cause) {
    String problem = String.valueOf(cause.getMessage());
    if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
      return "this name has no address; set bindAddress to an address of this machine";
    }
    if (problem.contains("Cannot assign")) {
      return "this is not an address of this machine; set bindAddress to one that is";
    }
    return problem.contains("in use")
        ? "the port is taken; choose another dataPort, or 0 for a free one"
        : problem + "; check bindAddress and dataPort";
  }

  /** Listens no more; waits for it. */
  public void close() {
    Channel channel = listening;
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
  }

  private void accept(Channel channel) {
    int open = connections.incrementAndGet();
    channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    if (open > maxConnections) {
      log.warn(
          "Closed the connection of {}: {} are open already; let nothing but nodes of this cluster"
              + " connect to the data port",
          channel.remoteAddress(),
          maxConnections);
      channel.close();
      return;
    }
    wire.track(channel);
    Welcome welcome = new Welcome(channel);
    channel.pipeline().addLast(welcome.reader);
    channel.eventLoop().schedule(welcome::expire, HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** A connection before its handshake is done. */
  private final class Welcome implements FrameHandler {
    private final Channel channel;
    private final FrameReader reader;
    private boolean greeted;

    Welcome(Channel channel) {
      this.channel = channel;
      this.reader = new FrameReader(wire.allocator(), FrameReader.STAGING_BYTES, this);
    }

    void expire() {
      if (!greeted) {
        reader.fail(
            new WireException(
                "%s sent no handshake within %d s"
                    .formatted(channel.remoteAddress(), HANDSHAKE_TIMEOUT_SECONDS)));
      }
    }

    @Override
    public int bodyLimitBytes(byte type, long correlation) {
      if (type != Frame.HELLO) {
        throw new WireException("a frame of type %d instead of a handshake".formatted(type));
      }
      if (greeted) {
        throw new WireException("a second handshake");
      }
      return Handshake.LIMIT_BYTES;
    }

    @Override
    public void frame(byte type, long correlation, ByteBuf body) {
      Handshake handshake = Handshake.decode(new WireInput().over(body));
      String objection = handshake.objection(wire.clusterName(), wire.self());
      greeted = true;
      if (objection != null) {
        refuse(handshake, objection);
      } else if (handshake.connectionClass() == ConnectionClass.BULK) {
        channel.config().setAutoRead(false);
        // Not before the read loop that we are called by has ended.
        channel
            .eventLoop()
            .execute(() -> moveTo(wire.loops().next(ConnectionClass.BULK), handshake));
      } else {
        welcome(handshake);
      }
    }

    private void refuse(Handshake handshake, String objection) {
      ByteBuf out = wire.allocator().directBuffer(Handshake.LIMIT_BYTES);
      out.writerIndex(Frame.HEADER_BYTES);
      Handshake.encodeReason(objection, out);
      new Frame().write(out, 0, Frame.REFUSAL, 0);
      reader.stop(new WireException("refused node " + handshake.caller() + ": " + objection));
      channel.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    private void moveTo(EventLoop loop, Handshake handshake) {
      channel
          .deregister()
          .addListener(
              gone ->
                  loop.register(channel)
                      .addListener(
                          moved -> {
                            if (moved.isSuccess()) {
                              welcome(handshake);
                              channel.config().setAutoRead(true);
                            } else {
                              channel.close();
                            }
                          }));
    }

    private void welcome(Handshake handshake) {
      reader.handler(receivers.receiver(handshake, channel, reader));
      ByteBuf out = wire.allocator().directBuffer(Frame.HEADER_BYTES);
      out.writerIndex(Frame.HEADER_BYTES);
      new Frame().write(out, 0, Frame.WELCOME, 0);
      channel.writeAndFlush(out, channel.voidPromise());
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      greeted = true;
    }
  }
}
