package dev.headrace.cluster.membership.connection;

import dev.headrace.stream.NodeId;
import org.jgroups.Address;
import org.jgroups.util.UUID;

/** A node's identity as JGroups' address of it, and back: both have 128 bits. */
public final class NodeAddress {
  private NodeAddress() {}

  public static NodeId nodeId(Address address) {
    UUID uuid = (UUID) address;
    return new NodeId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  public static Address address(NodeId id) {
    return new UUID(id.high(), id.low());
  }
}
