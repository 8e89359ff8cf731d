package dev.headrace.cluster.wire.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loops of one transport, some for operations and some for batches. Thread-safe.
 *
 * <p>Each class of connections is divided into shares, and each share has one loop: the connections
 * of a share, to and from all other nodes, are read and written there. So what arrives about a
 * segment, and what leaves because of it, concerns one loop.
 */
public final class Loops {
  private static final Logger LOG = LoggerFactory.getLogger(Loops.class);

  /** The most loops of one class, and so the most shares. */
  public static final int MAX_LOOPS = 64;

  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  /** Shorter than any system waits before it reports that no answer came. */
  private static final int KNOCK_TIMEOUT_MILLIS = 800;

  /** How long {@link #shutDown} waits for the threads to end. */
  private static final long SHUTDOWN_SECONDS = 5;

  private final EventLoopGroup operations;
  private final EventLoopGroup bulk;
  private final EventLoop[] operationShares;
  private final EventLoop[] bulkShares;

  /**
   * Starts no thread yet.
   *
   * @param busyPollNanos tells how long loops for operations poll before they block; batches are
   *     few and large, so their loops block at once
   */
  public Loops(int operationLoops, int bulkLoops, LongSupplier busyPollNanos, String threadName) {
    operations = polling(operationLoops, busyPollNanos, threadName + "-operations");
    bulk = blocking(bulkLoops, threadName + "-bulk");
    operationShares = each(operations, operationLoops);
    bulkShares = each(bulk, bulkLoops);
  }

  private static EventLoop[] each(EventLoopGroup group, int count) {
    EventLoop[] loops = new EventLoop[count];
    Arrays.setAll(loops, index -> group.next());
    return loops;
  }

  private static EventLoopGroup polling(int threads, LongSupplier busyPollNanos, String name) {
    try {
      return BusyPoll.group(threads, new DefaultThreadFactory(name, true), busyPollNanos);
    } catch (NoClassDefFoundError e) { // Netty 4.1, whose loops do not tell what they have found
      LOG.debug("Loops for operations block at once: {} is missing", e.getMessage());
      return blocking(threads, name);
    }
  }

  @SuppressWarnings("deprecation") // Netty 4.1 has no other; to 4.2 it is a name of the usual one.
  private static EventLoopGroup blocking(int threads, String name) {
    return new NioEventLoopGroup(threads, new DefaultThreadFactory(name, true));
  }

  /**
   * The event loop of a share of the connections of a class.
   *
   * @param share as the node counts that has opened the connection, which may have more loops
   */
  EventLoop of(ConnectionClass connectionClass, int share) {
    EventLoop[] loops = connectionClass == ConnectionClass.BULK ? bulkShares : operationShares;
    return loops[share % loops.length];
  }

  /** How many shares the connections of the class that has more of them are divided into. */
  int shares() {
    return Math.max(operationShares.length, bulkShares.length);
  }

  /**
   * Runs a task after a delay on a loop for operations.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loops have ended
   */
  public void later(long delayNanos, Runnable task) {
    var unused = operations.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  /**
   * A bootstrap to connect with on a loop, and the socket below it, which any thread may write to.
   */
  record Connector(Bootstrap bootstrap, SocketChannel socket) {}

  Connector connector(EventLoop loop) throws IOException {
    SocketChannel socket = SocketChannel.open();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .channelFactory(() -> new NioSocketChannel(socket));
    return new Connector(bootstrap, socket);
  }

  /**
   * Opens a connection and closes it again.
   *
   * @param refused run by a loop if the connection was refused; not if no answer came: the time
   *     limit is shorter than the system's, after which it would report a refusal, too
   */
  @SuppressWarnings("FutureReturnValueIgnored") // Nothing depends on it but what is run.
  public void knock(String host, int port, Runnable refused) throws IOException {
    connector(operations.next())
        .bootstrap()
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, KNOCK_TIMEOUT_MILLIS)
        .handler(new ChannelInboundHandlerAdapter())
        .connect(host, port)
        .addListener(
            (ChannelFuture done) -> {
              done.channel().close();
              Throwable cause = failure(done);
              if (cause instanceof ConnectException
                  && !(cause instanceof ConnectTimeoutException)) {
                refused.run();
              }
            });
  }

  /**
   * Why a connection is not open; null if it is. Where nobody listens, a socket can connect to
   * itself, if the system has given it the very port that it looks for.
   *
   * @param connecting a completed attempt
   */
  static @Nullable Throwable failure(ChannelFuture connecting) {
    Channel channel = connecting.channel();
    SocketAddress to = channel.remoteAddress();
    return connecting.isSuccess() && to != null && to.equals(channel.localAddress())
        ? new ConnectException("nobody listens at " + to + "; the socket found itself")
        : connecting.cause();
  }

  /**
   * Runs a task once on each loop, for tests.
   *
   * @return how many loops there are
   */
  public int onEach(Runnable task) {
    int loops = 0;
    for (EventLoopGroup group : new EventLoopGroup[] {operations, bulk}) {
      for (var loop : group) {
        loop.execute(task);
        loops++;
      }
    }
    return loops;
  }

  ServerBootstrap listener() {
    return new ServerBootstrap()
        .group(operations)
        .channelFactory(DirectServerChannel::new)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /** Ends all threads and waits for their end, unless one of them is the caller. */
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
