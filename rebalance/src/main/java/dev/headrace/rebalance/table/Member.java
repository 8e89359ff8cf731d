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
 */
public record Member(
    NodeId id, String name, String host, int dataPort, String zone, double capacity) {
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

  public boolean holdsSegments() {
    return capacity > 0;
  }

  public int encodedBytes() {
    return 16 + 4 + 8 + Text.encodedBytes(name) + Text.encodedBytes(host) + Text.encodedBytes(zone);
  }

  public void encode(ByteBuffer out) {
    out.putLong(id.high()).putLong(id.low()).putInt(dataPort).putDouble(capacity);
    Text.encode(name, out);
    Text.encode(host, out);
    Text.encode(zone, out);
  }

  public static Member decode(ByteBuffer in) {
    if (in.remaining() < 16 + 4 + 8) {
      throw new WireException("A member is cut off: " + in.remaining() + " bytes are left");
    }
    NodeId id = new NodeId(in.getLong(), in.getLong());
    int dataPort = in.getInt();
    double capacity = in.getDouble();
    String name = Text.decode(in);
    String host = Text.decode(in);
    String zone = Text.decode(in);
    try {
      return new Member(id, name, host, dataPort, zone, capacity);
    } catch (IllegalArgumentException e) {
      throw new WireException("A member is damaged: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return name + " (" + host + ":" + dataPort + ")";
  }
}
