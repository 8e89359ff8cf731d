package dev.headrace.cluster.membership.socket;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * What JGroups sends first on a connection: four letters, its version, and the address at which the
 * sender listens. It is read here in advance, because JGroups reads it on its one accepting thread.
 */
final class JGroupsGreeting {
  private static final byte[] MAGIC = {'b', 'e', 'l', 'a'};
  private static final int FRONT_BYTES = MAGIC.length + 2 * Short.BYTES;
  private static final int PORT_BYTES = Short.BYTES;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final int SCOPE_BYTES = Integer.BYTES;

  private JGroupsGreeting() {}

  /**
   * Reads the greeting, and nothing behind it.
   *
   * @throws IOException if the bytes are not a greeting
   */
  static byte[] read(InputStream in) throws IOException {
    byte[] front = in.readNBytes(FRONT_BYTES + 1);
    if (front.length == 0) {
      throw new EOFException("it was closed at once");
    }
    if (front.length <= FRONT_BYTES
        || !Arrays.equals(front, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IOException("it does not begin as a connection between nodes");
    }
    int rest =
        switch (front[FRONT_BYTES]) {
          case 0 -> PORT_BYTES;
          case IPV4_BYTES -> IPV4_BYTES + PORT_BYTES;
          case IPV6_BYTES -> IPV6_BYTES + SCOPE_BYTES + PORT_BYTES;
          default -> throw new IOException("it names no address");
        };
    byte[] all = Arrays.copyOf(front, front.length + rest);
    if (in.readNBytes(all, front.length, rest) < rest) {
      throw new IOException("it ended within its greeting");
    }
    return all;
  }
}
