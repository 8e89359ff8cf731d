package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.security.PortSecurity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the security of a node's ports when it starts. */
final class NodeSecurity {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSecurity.class);

  private NodeSecurity() {}

  /**
   * Reads the settings. Warns if the ports are open to everybody.
   *
   * @throws HeadraceException if the ports are open and security is required, or if files of the
   *     setting cannot be used
   */
  static PortSecurity of(NodeSettings settings) {
    if (settings.security() instanceof Security.None && !isLoopback(settings.bindAddress())) {
      String open =
          "Node "
              + settings.nodeName()
              + " listens on "
              + settings.bindAddress()
              + " with security none: whoever reaches its ports can read, change and delete"
              + " everything in cluster "
              + settings.clusterName();
      if (settings.requireSecurity()) {
        throw new HeadraceException(
            open + "; set security to a secret or to tls, or requireSecurity to false");
      }
      LOG.warn(open + "; set security to a secret or to tls");
    }
    return PortSecurity.of(settings.security(), settings.clusterName());
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // the membership reports the unknown address
    }
  }
}
