package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How connections are accepted. */
class DirectServerChannelTest {
  private final MultiThreadIoEventLoopGroup accepting =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final BlockingQueue<Long> numbers = new LinkedBlockingQueue<>();
  private boolean fails;

  @AfterEach
  void end() throws InterruptedException {
    accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
  }

  /** A loop that has much to do gets to its connection later. */
  @Test
  void theyAreNumberedAsTheyCameAndNotAsTheirLoopsGetToThem() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    EventLoop busy = loop.next();
    loop.next(); // so that the first connection gets the busy one
    busy.execute(() -> await(first));
    int port = listen();
    try (Socket one = connect(port);
        Socket other = connect(port)) {
      assertThat(numbers.poll(60, TimeUnit.SECONDS)).isEqualTo(2);
      first.countDown();
      assertThat(numbers.poll(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(one.isConnected() && other.isConnected()).isTrue();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
            .group(accepting, loop)
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
    NioSocketChannel newChannel(SocketChannel socket, long order) {
      if (fails) {
        fails = false;
        throw new OutOfMemoryError("no heap for a channel");
      }
      return super.newChannel(socket, order);
    }
  }
}
