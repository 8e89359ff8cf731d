package dev.headrace.api;

import java.util.List;
import java.util.Map;

/**
 * How a node finds the other nodes of its cluster. All nodes of a cluster use the same kind:
 * different kinds do not answer each other.
 */
public sealed interface Discovery {

  /**
   * Nodes of the same cluster name on this machine, through a folder that they share. The default.
   *
   * @param folder an absolute path; empty for a folder in the system's temporary folder
   */
  record Local(String folder) implements Discovery {}

  /**
   * A fixed list of nodes. Only a node that is named, by its own list or by that of another node
   * which asks it, founds a cluster, and only when no other named host is there; all others wait
   * for one.
   *
   * @param hosts {@code host:port} of nodes, at least one; the port is the membership port
   */
  record Hosts(List<String> hosts) implements Discovery {
    /** Copies the list, which must not be empty. */
    public Hosts {
      hosts = List.copyOf(hosts);
      if (hosts.isEmpty()) {
        throw new IllegalArgumentException(
            "The list of hosts is empty: name at least one host:port");
      }
    }
  }

  /**
   * IP multicast.
   *
   * @param address a multicast address such as 239.12.4.7
   * @param port the UDP port of the search
   */
  record Multicast(String address, int port) implements Discovery {}

  /**
   * The A or SRV records of a DNS name.
   *
   * @param query the name to look up
   * @param port the membership port, where the records do not carry one
   */
  record Dns(String query, int port) implements Discovery {}

  /**
   * The pods of a Kubernetes namespace that carry the labels. It needs the library {@code
   * org.jgroups.kubernetes:jgroups-kubernetes} on the class path, and a service account that may
   * list pods.
   *
   * @param namespace the namespace
   * @param labels labels that a pod must all have
   * @param port the membership port of the pods
   */
  record Kubernetes(String namespace, Map<String, String> labels, int port) implements Discovery {
    /** Copies the labels. */
    public Kubernetes {
      labels = Map.copyOf(labels);
    }
  }

  /** Nodes of the same cluster name on this machine. */
  static Discovery local() {
    return new Local("");
  }

  /**
   * A fixed list of nodes.
   *
   * @param hosts {@code host:port} of nodes, at least one; the port is the membership port
   * @throws IllegalArgumentException if there are none
   */
  static Discovery hosts(String... hosts) {
    return new Hosts(List.of(hosts));
  }
}
