package dev.headrace.http.server;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.security.TlsIdentity;
import dev.headrace.http.exchange.Router;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A port that speaks HTTP/1.1. Thread-safe. */
public final class HttpPort implements AutoCloseable {
  private static final long SHUTDOWN_SECONDS = 5;
  private static final int CHUNK_BYTES = 16 << 10;

  private final Parts parts;
  private final EventLoopGroup loops;

  /** Closes what is added after it was closed itself. */
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  private final AtomicLong bodyBytes = new AtomicLong();
  private final ReplyBudget replies;
  private final Channel listening;

  /**
   * What a port is made of.
   *
   * @param router who answers
   * @param rules who may ask
   * @param limits how much
   * @param listener is told what happens
   * @param tls the certificate that the port shows; null for no TLS
   * @param certificateNeeded whether callers must show one, too
   */
  public record Parts(
      Router router,
      AccessRules rules,
      PortLimits limits,
      PortListener listener,
      @Nullable TlsIdentity tls,
      boolean certificateNeeded) {}

  /**
   * Begins to listen.
   *
   * @param port 0 for a free one
   * @param threads how many event loops
   * @throws HeadraceException if the port is taken or the address is not this machine's
   */
  public HttpPort(String host, int port, int threads, String threadName, Parts parts) {
    this.parts = parts;
    this.replies = new ReplyBudget(parts.limits().allReplyBytes());
    this.loops = loops(threads, threadName);
    var bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    accept(channel);
                  }
                })
            .bind(host, port)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      var unused = loops.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
      throw new HeadraceException(
          "HTTP cannot listen on %s:%d: %s; choose another port or address"
              .formatted(host, port, bound.cause()),
          bound.cause());
    }
    listening = bound.channel();
  }

  @SuppressWarnings("deprecation") // Netty 4.1 has no other; to 4.2 it is a name of the usual one.
  private static EventLoopGroup loops(int threads, String threadName) {
    return new NioEventLoopGroup(threads, new DefaultThreadFactory(threadName, true));
  }

  private void accept(SocketChannel channel) {
    TlsIdentity tls = parts.tls();
    if (tls != null) {
      channel.pipeline().addLast(new SslHandler(tls.engineForPrograms(parts.certificateNeeded())));
    }
    HttpDecoderConfig config =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(PortLimits.LINE_BYTES)
            .setMaxHeaderSize(PortLimits.HEADER_BYTES)
            .setMaxChunkSize(CHUNK_BYTES);
    boolean tooMany = connections.size() >= parts.limits().connections();
    connections.add(channel);
    channel
        .pipeline()
        .addLast(new HttpRequestDecoder(config))
        .addLast(new ReplyEncoder())
        .addLast(new HttpConnection(parts, bodyBytes, replies, tooMany));
  }

  /** The port on which it listens. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** The connections that are open now. */
  public int connections() {
    return connections.size();
  }

  /** The bytes of replies that wait in this process because sockets have not taken them. */
  public long waitingBytes() {
    long bytes = 0;
    for (Channel connection : connections) {
      ChannelOutboundBuffer waiting = connection.unsafe().outboundBuffer();
      bytes += waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }
    return bytes;
  }

  /** Ends all connections and threads. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    connections.close().awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    loops
        .shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
  }
}
