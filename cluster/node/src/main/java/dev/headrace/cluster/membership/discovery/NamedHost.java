package dev.headrace.cluster.membership.discovery;

import dev.headrace.api.error.HeadraceException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A host of {@code Discovery.hosts}. Its name is looked up each time, because the addresses of
 * containers change.
 *
 * @param text as the user wrote it
 */
record NamedHost(String text, String name, int port) {

  /**
   * Splits at the last colon; an IPv6 address stands in brackets.
   *
   * @throws HeadraceException if it is not a host with a port
   */
  static NamedHost parse(String text) {
    int colon = text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (colon < 1 || port < 1 || port > 65535) {
        throw new NumberFormatException("no host, or no port between 1 and 65535");
      }
      return new NamedHost(text, text.substring(0, colon), port);
    } catch (NumberFormatException e) {
      throw new HeadraceException(
          "\""
              + text
              + "\" in Discovery.hosts is not host:port; the port is the membershipPort of that"
              + " node",
          e);
    }
  }

  /** The present address; null if the name has none. */
  @Nullable IpAddress resolve() {
    try {
      return new IpAddress(InetAddress.getByName(name), port);
    } catch (UnknownHostException e) {
      return null;
    }
  }

  static InetSocketAddress socketAddress(IpAddress address) {
    return new InetSocketAddress(address.getIpAddress(), address.getPort());
  }
}
