package dev.headrace.cluster.wire.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops of one transport: some for operations, some for batches. Thread-safe. */
public final class Loops {
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  /** How long closing waits for the threads to end. */
  private static final long SHUTDOWN_SECONDS = 5;

  private final boolean epoll;
  private final EventLoopGroup operations;
  private final EventLoopGroup bulk;

  /**
   * Starts no thread yet.
   *
   * @param nativeTransport whether to use epoll where it is available
   * @param busyPollNanos how long operation loops look for more before they block; batches are few
   *     and large, so their loops always block at once
   */
  public Loops(
      boolean nativeTransport,
      int operationLoops,
      int bulkLoops,
      long busyPollNanos,
      String threadName) {
    epoll = nativeTransport && Epoll.isAvailable();
    SelectStrategyFactory polling =
        busyPollNanos == 0
            ? DefaultSelectStrategyFactory.INSTANCE
            : () -> new BusyPoll(busyPollNanos);
    operations = group(operationLoops, polling, threadName + "-operations");
    bulk = group(bulkLoops, DefaultSelectStrategyFactory.INSTANCE, threadName + "-bulk");
  }

  private EventLoopGroup group(int threads, SelectStrategyFactory polling, String name) {
    IoHandlerFactory handlers =
        epoll
            ? EpollIoHandler.newFactory(0, polling)
            : NioIoHandler.newFactory(SelectorProvider.provider(), polling);
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), handlers);
  }

  /** The loop of a new connection. */
  EventLoop next(ConnectionClass connectionClass) {
    return connectionClass == ConnectionClass.BULK ? bulk.next() : operations.next();
  }

  /**
   * Something to connect with on a loop, and the socket below it if other threads may write to it.
   *
   * @param socket null with epoll, where a file descriptor may be another connection's by the time
   *     another thread writes to it
   */
  record Connector(Bootstrap bootstrap, @Nullable SocketChannel socket) {}

  Connector connector(EventLoop loop) throws IOException {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
    if (epoll) {
      return new Connector(bootstrap.channel(EpollSocketChannel.class), null);
    }
    SocketChannel socket = SocketChannel.open();
    return new Connector(bootstrap.channelFactory(() -> new NioSocketChannel(socket)), socket);
  }

  ServerBootstrap listener() {
    Class<? extends ServerChannel> channel =
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    return new ServerBootstrap()
        .group(operations)
        .channel(channel)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /** Ends all threads and waits for it, unless called by one of them. */
  public void shutDown() {
    boolean inside = false;
    for (EventLoopGroup group : new EventLoopGroup[] {operations, bulk}) {
      for (var executor : group) {
        inside |= executor.inEventLoop();
      }
    }
    var first = operations.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    var second = bulk.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    if (!inside) {
      first.awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
      second.awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }
  }
}
