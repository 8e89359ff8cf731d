package dev.headrace.benchmarks.http.client;

import com.sun.management.OperatingSystemMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests when they are due, whether or not earlier ones were answered: a node that stalls
 * meets all the requests that others would have sent meanwhile, and their latencies show it. One
 * thread calls it.
 */
public final class OpenLoopClient implements AutoCloseable {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("load", true), NioIoHandler.newFactory());

  /** Opens connections, runs the plan on them, and closes them. */
  public LoadOutcome run(LoadPlan plan) {
    EventLoop loop = loops.next();
    LoadRun run = new LoadRun(plan);
    List<Channel> channels = new ArrayList<>();
    try {
      for (LoadConnection connection : run.connections()) {
        channels.add(open(loop, plan.port(), connection));
      }
      long cpuNanos = SYSTEM.getProcessCpuTime();
      LoadOutcome outcome = run.pace(loop);
      return new LoadOutcome(
          outcome.answered(),
          outcome.unanswered(),
          outcome.errors(),
          outcome.firstError(),
          outcome.seconds(),
          (SYSTEM.getProcessCpuTime() - cpuNanos) / 1e9,
          outcome.latencies());
    } finally {
      channels.forEach(channel -> channel.close().awaitUninterruptibly());
    }
  }

  private static Channel open(EventLoop loop, int port, LoadConnection connection) {
    ChannelFuture opened =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<NioSocketChannel>() {
                  @Override
                  protected void initChannel(NioSocketChannel channel) {
                    channel.pipeline().addLast(new HttpResponseDecoder()).addLast(connection);
                  }
                })
            .connect("127.0.0.1", port)
            .awaitUninterruptibly();
    if (!opened.isSuccess()) {
      throw new IllegalStateException(
          "No connection to port " + port + ": does the node run?", opened.cause());
    }
    return opened.channel();
  }

  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
