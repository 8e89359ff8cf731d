package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How connections are accepted. */
class DirectServerChannelTest {
  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final BlockingQueue<Long> numbers = new LinkedBlockingQueue<>();
  private boolean fails;

  @AfterEach
  void end() throws InterruptedException {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
  }

  @Test
  void theyAreNumberedInTheirOrder() throws Exception {
    int port = listen();
    for (long number = 1; number <= 3; number++) {
      try (Socket socket = connect(port)) {
        assertThat(numbers.poll(60, TimeUnit.SECONDS)).isEqualTo(number);
        assertThat(socket.isConnected()).isTrue();
      }
    }
  }

  @Test
  void oneThatCannotBeAcceptedDoesNotEndTheListening() throws Exception {
    fails = true;
    int port = listen();
    try (Socket first = connect(port)) {
      assertThat(first.getInputStream().read()).isEqualTo(-1);
    }
    try (Socket second = connect(port)) {
      assertThat(numbers.poll(60, TimeUnit.SECONDS)).isEqualTo(2);
      assertThat(second.isConnected()).isTrue();
    }
  }

  private int listen() {
    Channel listening =
        new ServerBootstrap()
            .group(loop)
            .channelFactory(FailingOnce::new)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    numbers.add(DirectServerChannel.number(channel));
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  private static Socket connect(int port) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    return socket;
  }

  private final class FailingOnce extends DirectServerChannel {
    @Override
    NioSocketChannel accepted(SocketChannel socket, long order) {
      if (fails) {
        fails = false;
        throw new OutOfMemoryError("no heap for a channel");
      }
      return super.accepted(socket, order);
    }
  }
}
