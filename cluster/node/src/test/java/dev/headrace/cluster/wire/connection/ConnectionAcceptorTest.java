package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.stream.NodeId;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many connections a node accepts. */
@Timeout(240)
class ConnectionAcceptorTest {

  private final Loops loops = new Loops(1, 1, () -> 0, "accepting");
  private final Wire wire =
      Wire.of(
          "mill",
          new NodeId(1, 1),
          loops,
          UnpooledByteBufAllocator.DEFAULT,
          id -> null,
          PortSecurity.NONE);
  private final ConnectionAcceptor acceptor =
      new ConnectionAcceptor(
          wire,
          (handshake, reader, offer) -> {
            throw new AssertionError("nobody greets");
          },
          2);

  @AfterEach
  void end() {
    acceptor.close();
    loops.shutDown();
  }

  @Test
  void connectionsBeyondTheBoundAreClosedUntilAnotherEnds() throws Exception {
    int port = acceptor.listen("127.0.0.1", 0).getPort();
    Socket first = connect(port);
    try (Socket second = connect(port)) {
      await(wire, 2);
      try (Socket third = connect(port)) {
        assertThat(third.getInputStream().read()).as("closed at once").isEqualTo(-1);
      }
      first.close();
      await(wire, 1);
      try (Socket fourth = connect(port)) {
        await(wire, 2);
        assertThat(fourth.isConnected() && second.isConnected()).isTrue();
      }
    }
  }

  /** It may have been accepted before the node ceased to listen. */
  @Test
  void whoComesWhenTheOthersWereClosedIsClosedToo() {
    EmbeddedChannel early = new EmbeddedChannel();
    wire.channels().add(early);
    wire.channels().close().awaitUninterruptibly();
    assertThat(early.isOpen()).isFalse();
    EmbeddedChannel late = new EmbeddedChannel();
    wire.channels().add(late);
    assertThat(late.isOpen()).isFalse();
  }

  private static Socket connect(int port) throws Exception {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }

  private static void await(Wire wire, int channels) {
    while (wire.channels().size() != channels) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
