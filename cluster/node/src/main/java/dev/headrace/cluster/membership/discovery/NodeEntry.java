package dev.headrace.cluster.membership.discovery;

import dev.headrace.stream.NodeId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node writes about itself into the folder through which nodes of one machine find each
 * other.
 *
 * @param address where it listens
 * @param role what it is in its cluster
 */
public record NodeEntry(NodeId id, InetSocketAddress address, Role role) {

  /** What a node is in its cluster. */
  public enum Role {
    /** Looks for a cluster; has no view yet. */
    NEWCOMER,
    /** Is about to found a cluster. */
    FOUNDING,
    MEMBER,
    /** Is its view's first member. */
    COORDINATOR
  }

  /** One line: identity, address, port, role. */
  String toLine() {
    return id + " " + address.getAddress().getHostAddress() + " " + address.getPort() + " " + role;
  }

  /** Reads a line; null if it is not one of {@link #toLine}. */
  static @Nullable NodeEntry parse(String line) {
    List<String> words = List.of(line.strip().split(" ", -1));
    if (words.size() != 4 || words.get(0).length() != 32) {
      return null;
    }
    try {
      String id = words.get(0);
      NodeId node =
          new NodeId(
              Long.parseUnsignedLong(id.substring(0, 16), 16),
              Long.parseUnsignedLong(id.substring(16), 16));
      int port = Integer.parseInt(words.get(2));
      if (port < 1 || port > 65535) {
        return null;
      }
      InetAddress host = InetAddress.getByName(words.get(1));
      return new NodeEntry(node, new InetSocketAddress(host, port), Role.valueOf(words.get(3)));
    } catch (IllegalArgumentException | UnknownHostException e) {
      return null;
    }
  }
}
