package dev.headrace.rebalance.table;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;

/**
 * A node of the cluster, as the others need to know it.
 *
 * @param id its identity
 * @param name what people call it
 * @param host where it listens
 * @param dataPort TCP port of operations and batches
 * @param zone its zone, may be empty
 * @param capacity its weight in the placement; 0 if it holds nothing
 * @param versions the versions of the protocol that it knows
 */
public record Member(
    NodeId id,
    String name,
    String host,
    int dataPort,
    String zone,
    double capacity,
    ProtocolVersions versions) {
  private static final int NUMBERS_BYTES = 16 + 4 + 8 + 2;

  public Member {
    Text.check("name", name);
    Text.check("host", host);
    Text.check("zone", zone);
    if (dataPort < 0 || dataPort > 65535) {
      throw new IllegalArgumentException("No TCP port: " + dataPort);
    }
    if (!(capacity >= 0 && Double.isFinite(capacity))) {
      throw new IllegalArgumentException("No capacity: " + capacity);
    }
  }

  /** A node of this release. */
  public Member(NodeId id, String name, String host, int dataPort, String zone, double capacity) {
    this(id, name, host, dataPort, zone, capacity, ProtocolVersions.OWN);
  }

  public boolean holdsSegments() {
    return capacity > 0;
  }

  public int encodedBytes() {
    return NUMBERS_BYTES
        + Text.encodedBytes(name)
        + Text.encodedBytes(host)
        + Text.encodedBytes(zone);
  }

  public void encode(ByteBuffer out) {
    out.putLong(id.high()).putLong(id.low()).putInt(dataPort).putDouble(capacity);
    out.put((byte) versions.oldest()).put((byte) versions.newest());
    Text.encode(name, out);
    Text.encode(host, out);
    Text.encode(zone, out);
  }

  public static Member decode(ByteBuffer in) {
    if (in.remaining() < NUMBERS_BYTES) {
      throw new WireException("A member is cut off: " + in.remaining() + " bytes are left");
    }
    NodeId id = new NodeId(in.getLong(), in.getLong());
    int dataPort = in.getInt();
    double capacity = in.getDouble();
    int oldest = in.get();
    int newest = in.get();
    String name = Text.decode(in);
    String host = Text.decode(in);
    String zone = Text.decode(in);
    try {
      ProtocolVersions versions = new ProtocolVersions(oldest, newest);
      return new Member(id, name, host, dataPort, zone, capacity, versions);
    } catch (IllegalArgumentException e) {
      throw new WireException("A member is damaged: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return name + " (" + host + ":" + dataPort + ")";
  }
}
