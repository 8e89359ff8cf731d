package dev.headrace.cluster.membership.discovery;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** What a newcomer knows of a host that {@code Discovery.hosts} lists. */
enum HostSight {
  SELF("is this node"),
  NO_ADDRESS("has no address"),
  REFUSES("refuses connections"),
  UNREACHABLE("cannot be reached"),
  STRANGER("belongs to another cluster"),
  SILENT("accepts connections but has not answered (only nodes with Discovery.hosts do)"),
  NEWCOMER("is looking for the cluster too"),
  MEMBER("is a member but has not admitted it");

  private static final int CONNECT_MILLIS = 500;
  private static final int CLOSE_MILLIS = 100;

  private final String text;

  HostSight(String text) {
    this.text = text;
  }

  /** The rest of a sentence that begins with the host's name. */
  String text() {
    return text;
  }

  /** Whether no node of this cluster can be there. */
  boolean isAbsent() {
    return this == NO_ADDRESS || this == REFUSES || this == UNREACHABLE || this == STRANGER;
  }

  /**
   * Checks whether anybody listens at an address.
   *
   * @param patient whether to wait, too, for the connection to be closed at once, as a proxy does
   *     that has no node behind it
   */
  static HostSight at(InetSocketAddress address, boolean patient) {
    try (Socket probe = new Socket()) {
      probe.connect(address, CONNECT_MILLIS);
      if (address.equals(probe.getLocalSocketAddress())) {
        return REFUSES; // the socket connected to itself: nobody listens there
      }
      return patient && closesAtOnce(probe) ? REFUSES : SILENT;
    } catch (ConnectException e) {
      return REFUSES;
    } catch (IOException e) {
      return UNREACHABLE;
    }
  }

  private static boolean closesAtOnce(Socket probe) {
    try {
      probe.setSoTimeout(CLOSE_MILLIS);
      return probe.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // the connection was reset
    }
  }
}
