package dev.headrace.benchmarks.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Free ports of the loopback interface. */
public final class LoopbackPorts {

  private static final int LAST_PORT = 65_535;

  /** Outgoing connections begin at 32,768 on Linux, and higher elsewhere. */
  private static final int FIRST_PORT = 20_000;

  private static final int PROCESSES = 10_000;

  private LoopbackPorts() {}

  /**
   * Returns ports that were free a moment ago, all different, and none of those that systems give
   * to outgoing connections: one of these would be taken before a peer listens there.
   */
  public static int[] free(int count) {
    return freePairs(count, 0, FIRST_PORT + (int) (ProcessHandle.current().pid() % PROCESSES));
  }

  /**
   * Returns ports that were free a moment ago, and so were those at the given distance above each.
   *
   * @param first where to start looking, so that two processes at the same time look elsewhere
   */
  public static int[] freePairs(int count, int distance, int first) {
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
}
