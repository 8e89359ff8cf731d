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
 * The first frame of a connection, sent by the node that opened it: who it is, whom it looks for
 * and what for. The other answers with an empty {@code WELCOME}, or with a {@code REFUSAL} that
 * says why, and closes. Where a secret is shared {@link Proofs} come instead. Every first frame
 * begins with the same number and the caller's mode of security.
 *
 * @param clusterName the cluster it belongs to
 * @param caller the node that opened the connection
 * @param callee the node it believes to have reached
 * @param connectionClass what the connection is for
 */
public record Handshake(
    String clusterName, NodeId caller, NodeId callee, ConnectionClass connectionClass) {

  /** {@code HEADRACE}: tells our peers from everyone else who may knock. */
  public static final long MAGIC = 0x4845414452414345L;

  /** The longest body of a handshake or a refusal. */
  public static final int LIMIT_BYTES = 4 << 10;

  /** The longest reason in a refusal, in characters. */
  private static final int MAX_REASON_CHARS = 1000;

  private static final ConnectionClass[] CLASSES = ConnectionClass.values();
  private static final Mode[] MODES = Mode.values();

  /** Appends what every first frame begins with. */
  static void encodeFront(Mode mode, ByteBuf out) {
    out.writeLong(MAGIC);
    writeConstant(out, mode);
  }

  /** Appends the binary form. */
  public void encode(Mode mode, ByteBuf out) {
    encodeFront(mode, out);
    writeNodeId(out, caller);
    writeNodeId(out, callee);
    writeConstant(out, connectionClass);
    writeName(out, clusterName);
  }

  /**
   * Reads what the first frame begins with.
   *
   * @return how the caller wants to be known
   */
  static Mode decodeFront(WireInput in) {
    long magic = in.readLong();
    if (magic != MAGIC) {
      throw new WireException(
          ("the connection began with %016x, not as one between nodes of Headrace; "
                  + "let nothing else connect to the data port")
              .formatted(magic));
    }
    return in.readConstant(MODES);
  }

  /** Reads what follows the front. */
  static Handshake decode(WireInput in) {
    NodeId caller = in.readNodeId();
    NodeId callee = in.readNodeId();
    ConnectionClass connectionClass = readClass(in);
    Handshake handshake = new Handshake(in.readName(), caller, callee, connectionClass);
    in.end();
    return handshake;
  }

  static ConnectionClass readClass(WireInput in) {
    return in.readConstant(CLASSES);
  }

  /**
   * Why this node does not want the connection, or null if it does. Says nothing about this node
   * that the caller has not said itself.
   */
  @Nullable String objection(String ownCluster, NodeId self) {
    if (!clusterName.equals(ownCluster)) {
      return ("this node does not belong to the cluster '%s' of the caller; give both one name, or"
              + " separate their discovery")
          .formatted(clusterName);
    }
    if (!callee.equals(self)) {
      return ("this is not node %s, which was looked for; it has probably been restarted under the"
              + " same address")
          .formatted(callee);
    }
    if (caller.equals(self)) {
      return "this node called itself over the network";
    }
    return null;
  }

  /** Appends why something is refused or failed, shortened if it is long. */
  public static void encodeReason(String reason, ByteBuf out) {
    writeName(
        out, reason.length() <= MAX_REASON_CHARS ? reason : reason.substring(0, MAX_REASON_CHARS));
  }
}
