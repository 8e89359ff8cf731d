package dev.headrace.cluster.membership.socket;

import dev.headrace.cluster.security.SharedSecret;
import dev.headrace.cluster.security.SharedSecret.Exchange;
import dev.headrace.cluster.security.SharedSecret.Port;
import dev.headrace.cluster.security.SharedSecret.Role;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Proves on a connection that both sides know the secret.
 *
 * <pre>
 * caller                              callee
 *   HRS1, caller's nonce         -&gt;
 *                                &lt;-  HRS1, callee's nonce
 *   caller's proof               -&gt;
 *                                &lt;-  callee's proof
 * </pre>
 *
 * <p>The caller proves first, so that a stranger who connects gets nothing that depends on the
 * secret.
 */
final class Proving {
  private static final byte[] MAGIC = "HRS1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOTHING_ELSE = {};

  private Proving() {}

  /**
   * Runs the side of the node that has opened the connection.
   *
   * @throws IOException if the other side does not know the secret
   */
  static void caller(SharedSecret secret, InputStream in, OutputStream out) throws IOException {
    byte[] own = secret.nonce();
    write(out, MAGIC, own);
    requireMagic(in);
    Exchange both = new Exchange(Port.MEMBERSHIP, own, read(in, SharedSecret.NONCE_BYTES));
    write(out, secret.proof(Role.CALLER, both, NOTHING_ELSE));
    requireProof(secret, in, Role.CALLEE, both);
  }

  /**
   * Runs the side of the node that has accepted the connection.
   *
   * @throws IOException if the other side does not know the secret
   */
  static void callee(SharedSecret secret, InputStream in, OutputStream out) throws IOException {
    requireMagic(in);
    byte[] theirs = read(in, SharedSecret.NONCE_BYTES);
    Exchange both = new Exchange(Port.MEMBERSHIP, theirs, secret.nonce());
    write(out, MAGIC, both.calleeNonce());
    requireProof(secret, in, Role.CALLER, both);
    write(out, secret.proof(Role.CALLEE, both, NOTHING_ELSE));
  }

  private static void requireProof(SharedSecret secret, InputStream in, Role role, Exchange both)
      throws IOException {
    byte[] proof = read(in, SharedSecret.PROOF_BYTES);
    if (!secret.proves(proof, role, both, NOTHING_ELSE)) {
      throw new IOException(
          "it does not know this node's secret, or belongs to a cluster of another name");
    }
  }

  private static void requireMagic(InputStream in) throws IOException {
    byte[] magic = in.readNBytes(MAGIC.length);
    if (magic.length == 0) {
      throw new EOFException("it closed the connection; use the same security on all nodes");
    }
    if (!Arrays.equals(magic, MAGIC)) {
      throw new IOException(
          "it does not use a secret, as this node does; use the same security on all nodes");
    }
  }

  private static void write(OutputStream out, byte[]... parts) throws IOException {
    for (byte[] part : parts) {
      out.write(part);
    }
    out.flush();
  }

  private static byte[] read(InputStream in, int bytes) throws IOException {
    byte[] read = in.readNBytes(bytes);
    if (read.length < bytes) {
      throw new IOException(
          "it closed the connection before it proved that it knows the secret; all nodes need the"
              + " same security, secret and cluster name");
    }
    return read;
  }
}
