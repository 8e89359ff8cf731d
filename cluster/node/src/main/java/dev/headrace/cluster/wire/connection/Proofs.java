package dev.headrace.cluster.wire.connection;

import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.security.PortSecurity.Mode;
import dev.headrace.cluster.security.SharedSecret;
import dev.headrace.cluster.security.SharedSecret.Exchange;
import dev.headrace.cluster.security.SharedSecret.Port;
import dev.headrace.cluster.security.SharedSecret.Role;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One side of the handshake between nodes that share a secret.
 *
 * <pre>
 * caller                                    callee
 *   HELLO      caller's nonce          -&gt;
 *                                      &lt;-  CHALLENGE  callee's nonce
 *   PROOF      caller, class, share,   -&gt;
 *              proof
 *                                      &lt;-  WELCOME    proof
 * </pre>
 *
 * <p>Both proofs cover both nonces, the caller, the callee, the class and the share. Of the last
 * four only the callee is not sent. The caller proves first, so that a stranger who connects gets
 * nothing that depends on the secret. Belongs to one connection's event loop.
 */
final class Proofs {
  private static final int NODE_BYTES = 16;

  private final SharedSecret secret;
  private byte @Nullable [] ownNonce;
  private @Nullable Exchange exchange;
  private byte @Nullable [] about;

  Proofs(SharedSecret secret) {
    this.secret = secret;
  }

  // ---- The caller

  void encodeHello(ByteBuf out) {
    byte[] nonce = secret.nonce();
    ownNonce = nonce;
    Handshake.encodeFront(Mode.SECRET, out);
    out.writeBytes(nonce);
  }

  /** Answers the callee's challenge. */
  void encodeProof(WireInput challenge, Handshake handshake, ByteBuf out) {
    byte[] nonce = challenge.readRaw(SharedSecret.NONCE_BYTES);
    challenge.end();
    Exchange both = new Exchange(Port.DATA, own(), nonce);
    byte[] subject = about(handshake);
    exchange = both;
    about = subject;
    writeNodeId(out, handshake.caller());
    Handshake.writePurpose(handshake.connectionClass(), handshake.share(), out);
    out.writeBytes(secret.proof(Role.CALLER, both, subject));
  }

  /**
   * Checks the callee's proof.
   *
   * @throws WireException if the callee does not know the secret
   */
  void checkWelcome(WireInput welcome) {
    byte[] proof = welcome.readRaw(SharedSecret.PROOF_BYTES);
    welcome.end();
    Exchange both = exchange;
    byte[] subject = about;
    if (both == null || subject == null || !secret.proves(proof, Role.CALLEE, both, subject)) {
      throw new WireException("the node that was reached does not know this cluster's secret");
    }
  }

  // ---- The callee

  /** Answers a caller's hello, whose beginning has been read. */
  void encodeChallenge(WireInput hello, ByteBuf out) {
    byte[] callerNonce = hello.readRaw(SharedSecret.NONCE_BYTES);
    hello.end();
    byte[] nonce = secret.nonce();
    exchange = new Exchange(Port.DATA, callerNonce, nonce);
    out.writeBytes(nonce);
  }

  /**
   * Checks the caller's proof.
   *
   * @return the caller and the purpose of the connection; null if the proof is wrong
   */
  @Nullable Handshake check(WireInput proof, String clusterName, NodeId self) {
    NodeId caller = proof.readNodeId();
    ConnectionClass connectionClass = Handshake.readClass(proof);
    int share = Handshake.readShare(proof);
    byte[] mac = proof.readRaw(SharedSecret.PROOF_BYTES);
    proof.end();
    Exchange both = exchange;
    Handshake claimed = new Handshake(clusterName, caller, self, connectionClass, share);
    byte[] subject = about(claimed);
    if (both == null || !secret.proves(mac, Role.CALLER, both, subject)) {
      return null;
    }
    about = subject;
    return claimed;
  }

  void encodeWelcome(ByteBuf out) {
    Exchange both = exchange;
    byte[] subject = about;
    if (both == null || subject == null) {
      throw new IllegalStateException("the caller has not been checked");
    }
    out.writeBytes(secret.proof(Role.CALLEE, both, subject));
  }

  private byte[] own() {
    byte[] nonce = ownNonce;
    if (nonce == null) {
      throw new WireException("a challenge before the handshake");
    }
    ownNonce = null; // a second challenge gets no proof
    return nonce;
  }

  @SuppressWarnings("EnumOrdinal") // the ordinals are sent
  private static byte[] about(Handshake handshake) {
    return ByteBuffer.allocate(2 * NODE_BYTES + 2)
        .putLong(handshake.caller().high())
        .putLong(handshake.caller().low())
        .putLong(handshake.callee().high())
        .putLong(handshake.callee().low())
        .put((byte) handshake.connectionClass().ordinal())
        .put((byte) handshake.share())
        .array();
  }
}
