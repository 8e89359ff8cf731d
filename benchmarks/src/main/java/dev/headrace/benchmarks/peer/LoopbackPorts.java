package dev.headrace.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Free ports of the loopback interface. */
public final class LoopbackPorts {

  private static final int LAST_PORT = 65_535;

  private LoopbackPorts() {}

  /** Returns ports that were free a moment ago, all different. */
  public static int[] free(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      int[] ports = new int[count];
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        ports[i] = socket.getLocalPort();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException("No free loopback port: close other programs and retry", e);
    } finally {
      held.forEach(LoopbackPorts::release);
    }
  }

  /**
   * Returns ports that were free a moment ago, and so were those at the given distance above each.
   *
   * @param first where to start looking, so that two processes at the same time look elsewhere
   */
  static int[] freePairs(int count, int distance, int first) {
    int[] ports = new int[count];
    int found = 0;
    for (int port = first; found < count; port++) {
      if (port + distance > LAST_PORT) {
        throw new IllegalStateException("No pairs of free loopback ports from " + first + " on");
      }
      if (isFree(port) && isFree(port + distance)) {
        ports[found++] = port;
      }
    }
    return ports;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false; // taken
    }
  }

  private static void release(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("A port that was tried could not be released", e);
    }
  }
}
