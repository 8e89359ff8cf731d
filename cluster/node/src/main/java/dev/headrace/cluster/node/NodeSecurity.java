package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.security.PortSecurity;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** What a node's ports ask of others when it starts. */
final class NodeSecurity {
  private static final System.Logger LOG = System.getLogger(NodeSecurity.class.getName());

  private NodeSecurity() {}

  /**
   * What the settings mean. Says plainly what an open door is; a setting decides whether it is left
   * open.
   *
   * @throws HeadraceException if it must not be, or files of the setting cannot be used
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
      LOG.log(System.Logger.Level.WARNING, open + "; set security to a secret or to tls");
    }
    return PortSecurity.of(settings.security(), settings.clusterName());
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // the membership says that it is unknown
    }
  }
}
