package dev.headrace.cluster.membership.discovery;

import dev.headrace.stream.NodeId;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A newcomer's question to a named host, or the answer. An answer repeats the round and the place
 * of its question, so that a late answer is recognised.
 *
 * @param round the round of the search
 * @param place the host's place in the newcomer's list
 * @param state the sender's state
 * @param sender the node that sends
 * @param coordinator the coordinator of the sender's view; null if the sender is not a member
 * @param clusterName the name of the sender's cluster
 */
record SearchMessage(
    long round,
    int place,
    State state,
    Peer sender,
    @Nullable Peer coordinator,
    String clusterName) {

  /** The state of a sender in its cluster. The ordinals are sent. */
  enum State {
    NEWCOMER,
    /** Is about to found the cluster. */
    FOUNDING,
    MEMBER
  }

  /** A node and where it listens. */
  record Peer(NodeId id, IpAddress address) {
    private void writeTo(ByteBuffer out) {
      byte[] host = address.getIpAddress().getAddress();
      out.putLong(id.high()).putLong(id.low()).put((byte) host.length).put(host);
      out.putInt(address.getPort());
    }

    private static Peer readFrom(ByteBuffer in) throws UnknownHostException {
      NodeId id = new NodeId(in.getLong(), in.getLong());
      byte[] host = new byte[in.get() & 0xff];
      in.get(host);
      return new Peer(id, new IpAddress(InetAddress.getByAddress(host), in.getInt()));
    }

    private int size() {
      return 2 * Long.BYTES + 1 + address.getIpAddress().getAddress().length + Integer.BYTES;
    }
  }

  @SuppressWarnings("EnumOrdinal") // The ordinals are sent.
  byte[] encode() {
    byte[] name = clusterName.getBytes(StandardCharsets.UTF_8);
    Peer coordinates = coordinator;
    ByteBuffer out =
        ByteBuffer.allocate(
            Long.BYTES
                + Integer.BYTES
                + 2
                + sender.size()
                + (coordinates == null ? 0 : coordinates.size())
                + name.length);
    out.putLong(round).putInt(place).put((byte) state.ordinal());
    out.put((byte) (coordinates == null ? 0 : 1));
    sender.writeTo(out);
    if (coordinates != null) {
      coordinates.writeTo(out);
    }
    return out.put(name).array();
  }

  /** Reads the binary form; null if the bytes are malformed. */
  static @Nullable SearchMessage decode(byte[] bytes, int offset, int length) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes, offset, length);
      long round = in.getLong();
      int place = in.getInt();
      int state = in.get();
      boolean coordinated = in.get() != 0;
      if (state < 0 || state >= State.values().length) {
        return null;
      }
      Peer sender = Peer.readFrom(in);
      Peer coordinator = coordinated ? Peer.readFrom(in) : null;
      String name = StandardCharsets.UTF_8.decode(in).toString();
      return new SearchMessage(round, place, State.values()[state], sender, coordinator, name);
    } catch (BufferUnderflowException | UnknownHostException | IllegalArgumentException e) {
      return null;
    }
  }
}
