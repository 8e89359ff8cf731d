package dev.headrace.cluster.membership;

import dev.headrace.api.error.HeadraceException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/** Finds the address of this machine that the setting bindAddress stands for. */
final class BindAddress {
  private BindAddress() {}

  /**
   * Looks up the address.
   *
   * @throws HeadraceException if the setting is not an address, not one of this machine, or stands
   *     for all of its addresses
   */
  static InetAddress of(String setting) {
    try {
      InetAddress address = InetAddress.getByName(setting);
      if (address.isAnyLocalAddress()) {
        throw new HeadraceException(
            "bindAddress "
                + setting
                + " stands for all addresses of this machine, but other nodes must be told one:"
                + " set bindAddress to the address under which they reach this node");
      }
      if (NetworkInterface.getByInetAddress(address) == null && !address.isLoopbackAddress()) {
        throw new HeadraceException(
            "bindAddress "
                + setting
                + " is not an address of this machine: set bindAddress to one of its addresses, or"
                + " leave it at 127.0.0.1 if all nodes run on this machine");
      }
      return address;
    } catch (UnknownHostException | SocketException e) {
      throw new HeadraceException(
          "bindAddress "
              + setting
              + " is unknown: set it to an address or host name of this machine",
          e);
    }
  }
}
