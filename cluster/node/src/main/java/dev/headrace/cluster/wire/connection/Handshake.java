package dev.headrace.cluster.wire.connection;

import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.security.PortSecurity.Mode;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The first frame of a connection. The node that opened it tells its identity, the node that it
 * looks for, and the purpose. The other node answers with an empty {@code WELCOME}, or with a
 * {@code REFUSAL} that tells the reason, and closes. With a shared secret {@link Proofs} are used
 * instead. Every first frame begins with the same number and the caller's mode of security.
 *
 * @param clusterName the cluster of the caller
 * @param caller the node that opened the connection
 * @param callee the node that the caller looks for
 * @param connectionClass the purpose of the connection
 * @param share which of the caller's connections of this class it is, from 0
 */
public record Handshake(
    String clusterName, NodeId caller, NodeId callee, ConnectionClass connectionClass, int share) {

  /** {@code HEADRACE} in ASCII: distinguishes nodes from other programs that connect. */
  public static final long MAGIC = 0x4845414452414345L;

  /** The longest body of a handshake or a refusal. */
  public static final int LIMIT_BYTES = 4 << 10;

  /** The longest reason in a refusal, in characters. */
  private static final int MAX_REASON_CHARS = 1000;

  private static final ConnectionClass[] CLASSES = ConnectionClass.values();
  private static final Mode[] MODES = Mode.values();

  /** Appends the beginning of every first frame. */
  static void encodeFront(Mode mode, ByteBuf out) {
    out.writeLong(MAGIC);
    writeConstant(out, mode);
  }

  /** Appends the binary form. */
  public void encode(Mode mode, ByteBuf out) {
    encodeFront(mode, out);
    writeNodeId(out, caller);
    writeNodeId(out, callee);
    writePurpose(connectionClass, share, out);
    writeName(out, clusterName);
  }

  /**
   * Reads the beginning of a first frame.
   *
   * @return the caller's mode of security
   */
  static Mode decodeFront(WireInput in) {
    long magic = in.readLong();
    if (magic != MAGIC) {
      throw new WireException(
          ("the connection begins with %016x, unlike one between nodes of Headrace; "
                  + "let nothing else connect to the data port")
              .formatted(magic));
    }
    return in.readConstant(MODES);
  }

  /** Reads the rest of a first frame. */
  static Handshake decode(WireInput in) {
    NodeId caller = in.readNodeId();
    NodeId callee = in.readNodeId();
    ConnectionClass connectionClass = readClass(in);
    int share = readShare(in);
    Handshake handshake = new Handshake(in.readName(), caller, callee, connectionClass, share);
    in.end();
    return handshake;
  }

  static void writePurpose(ConnectionClass connectionClass, int share, ByteBuf out) {
    writeConstant(out, connectionClass);
    out.writeByte(share);
  }

  static ConnectionClass readClass(WireInput in) {
    return in.readConstant(CLASSES);
  }

  static int readShare(WireInput in) {
    int share = in.readByte();
    if (share < 0 || share >= Loops.MAX_LOOPS) {
      throw new WireException("a node has no share " + share + " of its connections");
    }
    return share;
  }

  /**
   * Why this node refuses the connection, or null if it accepts it. The text reveals nothing about
   * this node that the caller has not told.
   */
  @Nullable String objection(String ownCluster, NodeId self) {
    if (!clusterName.equals(ownCluster)) {
      return ("this node does not belong to the caller's cluster '%s'; give both nodes the same"
              + " cluster name, or separate their discovery")
          .formatted(clusterName);
    }
    if (!callee.equals(self)) {
      return ("this is not node %s, which the caller looks for; that node was probably restarted"
              + " under the same address")
          .formatted(callee);
    }
    if (caller.equals(self)) {
      return "this node has connected to itself";
    }
    return null;
  }

  /** Appends the reason of a refusal or failure, shortened if it is long. */
  public static void encodeReason(String reason, ByteBuf out) {
    writeName(
        out, reason.length() <= MAX_REASON_CHARS ? reason : reason.substring(0, MAX_REASON_CHARS));
  }
}
