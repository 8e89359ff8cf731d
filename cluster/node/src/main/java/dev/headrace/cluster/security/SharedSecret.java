package dev.headrace.cluster.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves knowledge of a secret, and checks the proofs of other nodes, without sending the secret.
 * Each side draws a nonce. A proof is an HMAC-SHA-256 over both nonces, the port, the role and the
 * purpose of the connection. Caller and callee have different roles, so that a proof cannot be
 * reflected; nonces are used once, so that it cannot be replayed. Thread-safe.
 */
public final class SharedSecret {
  /** Length of a nonce. */
  public static final int NONCE_BYTES = 32;

  /** Length of a proof. */
  public static final int PROOF_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  /** The side that proves. */
  public enum Role {
    /** The side that has opened the connection. */
    CALLER(0),
    /** The side that has accepted the connection. */
    CALLEE(1);

    private final byte code;

    Role(int code) {
      this.code = (byte) code;
    }
  }

  /** The port of the connection. */
  public enum Port {
    /** The membership port. */
    MEMBERSHIP(0),
    /** The data port. */
    DATA(1);

    private final byte code;

    Port(int code) {
      this.code = (byte) code;
    }
  }

  /**
   * The values of one connection that its proofs cover.
   *
   * @param port the port of the connection
   * @param callerNonce drawn by the side that has opened it
   * @param calleeNonce drawn by the side that has accepted it
   */
  @SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
  public record Exchange(Port port, byte[] callerNonce, byte[] calleeNonce) {}

  /**
   * Derives the key from the secret and the cluster's name, so that a proof is not valid in another
   * cluster.
   */
  SharedSecret(byte[] secret, String clusterName) {
    key =
        new SecretKeySpec(
            mac(
                new SecretKeySpec(secret, ALGORITHM),
                "headrace".getBytes(StandardCharsets.UTF_8),
                clusterName.getBytes(StandardCharsets.UTF_8)),
            ALGORITHM);
  }

  /** A fresh nonce. */
  public byte[] nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  /** The proof of one side, bound to the purpose of the connection. */
  public byte[] proof(Role role, Exchange exchange, byte[] about) {
    return mac(
        key,
        new byte[] {exchange.port().code, role.code},
        exchange.callerNonce(),
        exchange.calleeNonce(),
        about);
  }

  /** Whether these bytes are the proof of that side. Takes constant time. */
  public boolean proves(byte[] proof, Role role, Exchange exchange, byte[] about) {
    return MessageDigest.isEqual(proof(role, exchange, about), proof);
  }

  private static byte[] mac(SecretKeySpec key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has " + ALGORITHM, e);
    }
  }
}
