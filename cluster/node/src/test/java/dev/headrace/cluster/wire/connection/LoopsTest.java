package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopsTest {
  private final Loops loops = new Loops(1, 1, () -> 0, "test");

  @AfterEach
  void shutDown() {
    loops.shutDown();
  }

  /** The system lets a socket connect to its own address when nobody listens there. */
  @Test
  void aConnectionThatFindsItselfHasFoundNobody() throws Exception {
    Loops.Connector connector = loops.connector(loops.of(ConnectionClass.OPERATIONS, 0));
    SocketChannel socket = connector.socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ChannelFuture connecting =
        connector
            .bootstrap()
            .handler(new ChannelInboundHandlerAdapter())
            .connect(socket.getLocalAddress())
            .awaitUninterruptibly();
    assertThat(connecting.isSuccess()).isTrue();
    assertThat(Loops.failure(connecting)).isInstanceOf(ConnectException.class);
    close(connecting.channel());
  }

  @Test
  void aConnectionToSomebodyHasNotFailed() throws Exception {
    Channel listening =
        loops
            .listener()
            .childHandler(new ChannelInboundHandlerAdapter())
            .bind(InetAddress.getLoopbackAddress(), 0)
            .awaitUninterruptibly()
            .channel();
    ChannelFuture connecting =
        loops
            .connector(loops.of(ConnectionClass.OPERATIONS, 0))
            .bootstrap()
            .handler(new ChannelInboundHandlerAdapter())
            .connect(listening.localAddress())
            .awaitUninterruptibly();
    assertThat(Loops.failure(connecting)).isNull();
    close(connecting.channel());
    close(listening);
  }

  private static void close(Channel channel) {
    channel.close().awaitUninterruptibly();
  }
}
