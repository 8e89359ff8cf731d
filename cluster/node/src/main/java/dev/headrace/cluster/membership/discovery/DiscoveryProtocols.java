package dev.headrace.cluster.membership.discovery;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jgroups.protocols.MPING;
import org.jgroups.protocols.dns.DNS_PING;

/** The JGroups protocol for each way of finding nodes. */
public final class DiscoveryProtocols {
  private DiscoveryProtocols() {}

  /**
   * The port to listen on: the setting, or the port at which other nodes look for this one.
   *
   * @throws HeadraceException if the two differ
   */
  public static int membershipPort(NodeSettings settings) {
    Discovery discovery = settings.discovery();
    if (discovery instanceof Discovery.Dns dns && !isService(dns.query())) {
      return agreed(settings.membershipPort(), dns.port());
    }
    if (discovery instanceof Discovery.Kubernetes kubernetes) {
      return agreed(settings.membershipPort(), kubernetes.port());
    }
    return settings.membershipPort();
  }

  public static org.jgroups.protocols.Discovery of(NodeSettings settings, InetAddress bindAddress) {
    Discovery discovery = settings.discovery();
    if (discovery instanceof Discovery.Local local) {
      return new FolderDiscovery(NodeFolder.of(local.folder(), settings.clusterName()));
    } else if (discovery instanceof Discovery.Hosts hosts) {
      return new HostsDiscovery(hosts.hosts().stream().map(NamedHost::parse).toList());
    } else if (discovery instanceof Discovery.Multicast multicast) {
      return multicast(multicast, bindAddress);
    } else if (discovery instanceof Discovery.Dns dns) {
      return new DNS_PING()
          .dnsQuery(dns.query())
          .dnsRecordType(isService(dns.query()) ? "SRV" : "A")
          .asyncDiscovery(true);
    } else if (discovery instanceof Discovery.Kubernetes kubernetes) {
      return kubernetes(kubernetes);
    }
    throw new AssertionError(discovery);
  }

  private static MPING multicast(Discovery.Multicast discovery, InetAddress bindAddress) {
    try {
      InetAddress group = InetAddress.getByName(discovery.address());
      if (!group.isMulticastAddress()) {
        throw new UnknownHostException(group + " is the address of one machine");
      }
      return new MulticastDiscovery()
          .setBindAddr(bindAddress)
          .setMcastAddr(group)
          .setMcastPort(discovery.port());
    } catch (UnknownHostException e) {
      throw new HeadraceException(
          "\""
              + discovery.address()
              + "\" in Discovery.Multicast is not a multicast address: name one such as 239.12.4.7",
          e);
    }
  }

  private static org.jgroups.protocols.Discovery kubernetes(Discovery.Kubernetes discovery) {
    try {
      return KubernetesProtocol.of(discovery);
    } catch (NoClassDefFoundError e) {
      throw new HeadraceException(
          "Discovery.Kubernetes needs the library org.jgroups.kubernetes:jgroups-kubernetes: add it"
              + " to the class path",
          e);
    }
  }

  private static boolean isService(String query) {
    return query.startsWith("_");
  }

  private static int agreed(int own, int discovered) {
    if (own != 0 && own != discovered) {
      throw new HeadraceException(
          "membershipPort is "
              + own
              + ", but the nodes are looked for on port "
              + discovered
              + ": set both to the same port, or leave membershipPort at 0");
    }
    return discovered;
  }
}
