package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads certificates and keys from PEM files. */
final class PemFiles {
  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final List<String> KEY_KINDS = List.of("RSA", "EC", "EdDSA");
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private PemFiles() {}

  /**
   * Makes the TLS context of a node.
   *
   * @throws IOException if a file cannot be read or used; the message names it
   */
  static SSLContext context(Security.Tls files) throws IOException {
    Certificate[] chain = certificates(files.certificate()).toArray(Certificate[]::new);
    PrivateKey key = key(files.key());
    Collection<? extends Certificate> anchors = certificates(files.anchors());
    char[] password = {}; // of a key store that is used in this method only
    try {
      requirePair(key, chain[0]);
      KeyStore own = empty();
      own.setKeyEntry("node", key, password, chain);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, password);
      KeyStore trusted = empty();
      int number = 0;
      for (Certificate anchor : anchors) {
        trusted.setCertificateEntry("anchor-" + number++, anchor);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the key in "
              + files.key()
              + " and the certificate in "
              + files.certificate()
              + " cannot be used together: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Checks that a key and a certificate belong together; otherwise the first connection would fail.
   */
  private static void requirePair(PrivateKey key, Certificate certificate)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    byte[] probe = key.getAlgorithm().getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(probe);
    byte[] signed = signature.sign();
    signature.initVerify(certificate);
    signature.update(probe);
    if (!signature.verify(signed)) {
      throw new SignatureException("the certificate is of another key");
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    Collection<? extends Certificate> found;
    try {
      found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(read(file)));
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the file " + file + " has no X.509 certificates in PEM: " + e.getMessage(), e);
    }
    if (found.isEmpty()) {
      throw new IOException("the file " + file + " has no X.509 certificates in PEM");
    }
    return found;
  }

  private static PrivateKey key(Path file) throws IOException {
    Matcher key = KEY.matcher(new String(read(file), StandardCharsets.US_ASCII));
    if (!key.find()) {
      throw new IOException(
          "the file "
              + file
              + " has no private key in PEM as PKCS #8 without a password: convert it with"
              + " openssl pkcs8 -topk8 -nocrypt");
    }
    PKCS8EncodedKeySpec encoded;
    try {
      encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1)));
    } catch (IllegalArgumentException e) {
      throw new IOException("the private key in " + file + " is damaged", e);
    }
    @Nullable InvalidKeySpecException none = null;
    for (String kind : KEY_KINDS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(encoded);
      } catch (InvalidKeySpecException e) {
        none = e; // perhaps a key of another kind
      } catch (GeneralSecurityException e) {
        throw new IOException("this Java knows no keys of kind " + kind, e);
      }
    }
    throw new IOException(
        "the private key in " + file + " is damaged, or of none of the kinds " + KEY_KINDS, none);
  }

  private static byte[] read(Path file) throws IOException {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new IOException("it is larger than " + MAX_FILE_BYTES + " bytes");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IOException("the file " + file + " cannot be read: " + e, e);
    }
  }
}
