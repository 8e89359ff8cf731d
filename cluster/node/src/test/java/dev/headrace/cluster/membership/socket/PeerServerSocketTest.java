package dev.headrace.cluster.membership.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.security.PortSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to the membership port of a node that closes. */
@Timeout(240)
final class PeerServerSocketTest {
  private static final int ROUNDS = 60;
  private static final int CONNECTIONS = 12;
  private static final int PATIENCE_MILLIS = 30_000;

  private final Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
  private Thread.@Nullable UncaughtExceptionHandler before;

  @BeforeEach
  void listenForUncaughtExceptions() {
    before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
  }

  @AfterEach
  void listenNoMore() {
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  /** Some of them are accepted just before the port closes, and have no thread or timer then. */
  @Test
  void connectionsThatComeWhileItClosesEndQuietly() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      List<Socket> callers = new ArrayList<>();
      try {
        ServerSocket port = new PeerSockets(PortSecurity.NONE).createServerSocket("membership");
        port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        for (int i = 0; i < CONNECTIONS; i++) {
          callers.add(new Socket(port.getInetAddress(), port.getLocalPort()));
        }
        port.close();
        for (Socket caller : callers) {
          awaitEnd(caller);
        }
      } finally {
        for (Socket caller : callers) {
          caller.close();
        }
      }
    }
    assertThat(uncaught).isEmpty();
  }

  private static void awaitEnd(Socket caller) throws IOException {
    caller.setSoTimeout(PATIENCE_MILLIS);
    try {
      assertThat(caller.getInputStream().read()).isEqualTo(-1);
    } catch (SocketTimeoutException open) {
      throw new AssertionError("a connection to a closed port stays open", open);
    } catch (IOException reset) {
      assertThat(caller.isConnected()).isTrue();
    }
  }
}
