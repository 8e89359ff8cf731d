package dev.headrace.cluster.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves to know a secret, and checks others' proofs, without ever sending it: each side draws a
 * nonce, and proves by HMAC-SHA-256 over both nonces, the port, its role and whatever the
 * connection is about. Caller and callee prove in different roles, so that a proof cannot be sent
 * back to whom it came from; a nonce is used once, so that it cannot be sent again. Thread-safe.
 */
public final class SharedSecret {
  /** Length of a nonce. */
  public static final int NONCE_BYTES = 32;

  /** Length of a proof. */
  public static final int PROOF_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  /** Who proves. */
  public enum Role {
    /** The one that has opened the connection. */
    CALLER(0),
    /** The one that has accepted it. */
    CALLEE(1);

    private final byte code;

    Role(int code) {
      this.code = (byte) code;
    }
  }

  /** Which of a node's ports the connection came to. */
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
   * A connection's side of the proofs.
   *
   * @param port which port it came to
   * @param callerNonce drawn by the one that has opened it
   * @param calleeNonce drawn by the one that has accepted it
   */
  @SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
  public record Exchange(Port port, byte[] callerNonce, byte[] calleeNonce) {}

  /** The same secret proves nothing in a cluster of another name. */
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

  /** A proof of one side, bound to what the connection is about. */
  public byte[] proof(Role role, Exchange exchange, byte[] about) {
    return mac(
        key,
        new byte[] {exchange.port().code, role.code},
        exchange.callerNonce(),
        exchange.calleeNonce(),
        about);
  }

  /** Whether it is the proof of that side; takes as long whatever differs. */
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
