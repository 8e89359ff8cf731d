package dev.headrace.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Objects;

/**
 * How the nodes of a cluster authenticate each other, on both of their ports; all nodes must have
 * the same setting.
 *
 * <ul>
 *   <li>{@link #none}: anybody who reaches the ports can become a node, and so read and write
 *       everything. For one machine, or a network that nobody else reaches.
 *   <li>{@link #secret}: both sides of a connection prove that they know a shared secret, which is
 *       never sent. What is sent afterwards can be read, and by somebody on the way changed.
 *   <li>{@link #tls}: TLS 1.3 with certificates on both sides. What is sent can neither be read nor
 *       changed.
 * </ul>
 */
public sealed interface Security {

  /** Nothing is proved and nothing is encrypted. */
  static Security none() {
    return None.INSTANCE;
  }

  /**
   * A shared secret, the same on all nodes; best 32 random bytes as text.
   *
   * @param secret the text, which counts as UTF-8
   * @throws IllegalArgumentException if it is shorter than {@link Secret#MIN_BYTES}
   */
  static Security secret(String secret) {
    return new Secret(secret.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A shared secret from a file, without white space around it. The file is read at once, and not
   * again.
   *
   * @param file a text in UTF-8
   * @throws IllegalArgumentException if the file cannot be read, or the secret is shorter than
   *     {@link Secret#MIN_BYTES}
   */
  static Security secretFile(Path file) {
    try {
      return secret(Files.readString(file).strip());
    } catch (IOException e) {
      throw new IllegalArgumentException("the secret's file " + file + " cannot be read: " + e, e);
    }
  }

  /**
   * Certificates in PEM files, which are read again when they have changed: connections that are
   * made from then on use the new ones.
   *
   * @param certificate this node's certificate, followed by those between it and an anchor
   * @param key its private key, PKCS #8 and not encrypted ({@code BEGIN PRIVATE KEY})
   * @param anchors the authorities that certify the nodes of this cluster, and nothing else
   */
  static Security tls(Path certificate, Path key, Path anchors) {
    return new Tls(certificate, key, anchors);
  }

  /** What messages and {@link ClusterStatus} call it: {@code none}, {@code secret}, {@code tls}. */
  String mode();

  /** See {@link Security#none}. */
  enum None implements Security {
    /** The only one. */
    INSTANCE;

    @Override
    public String mode() {
      return "none";
    }
  }

  /** See {@link Security#secret}. Its text form does not tell the secret. */
  final class Secret implements Security {
    /** The fewest bytes of a secret: a shorter one could be guessed. */
    public static final int MIN_BYTES = 16;

    private final byte[] bytes;

    private Secret(byte[] bytes) {
      if (bytes.length < MIN_BYTES) {
        throw new IllegalArgumentException(
            "secret must have at least "
                + MIN_BYTES
                + " bytes, but has "
                + bytes.length
                + ": make one with openssl rand -base64 32");
      }
      this.bytes = bytes;
    }

    /** A copy of the secret. */
    public byte[] bytes() {
      return bytes.clone();
    }

    @Override
    public String mode() {
      return "secret";
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Secret secret && MessageDigest.isEqual(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
      return Secret.class.hashCode(); // tells nothing of the secret
    }

    @Override
    public String toString() {
      return "Secret[hidden]";
    }
  }

  /**
   * See {@link Security#tls}.
   *
   * @param certificate this node's certificate, followed by those between it and an anchor
   * @param key its private key
   * @param anchors the authorities that certify the nodes of this cluster
   */
  record Tls(Path certificate, Path key, Path anchors) implements Security {
    /** Checks that all are there. */
    public Tls {
      Objects.requireNonNull(certificate, "certificate");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(anchors, "anchors");
    }

    @Override
    public String mode() {
      return "tls";
    }
  }
}
