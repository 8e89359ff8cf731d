package dev.headrace.cluster.membership.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cluster.security.PortSecurity;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class PeerSocketTest {
  private static final int TIMEOUT_MILLIS = 30_000;

  private final PeerSockets sockets = new PeerSockets(PortSecurity.NONE);

  /** The system lets a socket connect to its own address when nobody listens there. */
  @Test
  void aSocketThatFindsItselfHasFoundNobody() throws Exception {
    PeerSocket socket = sockets.socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    assertThatThrownBy(() -> socket.connect(socket.getLocalSocketAddress(), TIMEOUT_MILLIS))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("nobody listens");
    assertThat(socket.isClosed()).isTrue();
  }
}
