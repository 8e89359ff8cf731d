package dev.headrace.cluster.membership;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback address for a test to name. They lie below those that a kernel gives to
 * whoever asks for any (Linux from 32768 on, others from 49152), so that no node's data port takes
 * one before it is bound.
 */
public final class FreePorts {
  private static final int LOWEST = 10_000;
  private static final int BEYOND_HIGHEST = 32_000;

  private FreePorts() {}

  /** One that was free a moment ago. */
  public static int one() {
    return some(1).get(0);
  }

  /** Different ones that were free a moment ago. */
  public static List<Integer> some(int count) {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND_HIGHEST);
      if (!ports.contains(port) && isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException e) {
      return false; // a taken one
    }
  }
}
