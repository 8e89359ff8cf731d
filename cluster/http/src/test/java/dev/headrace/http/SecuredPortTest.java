package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Security;
import dev.headrace.cluster.security.Certificates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A port behind TLS, with certificates and with a token. */
final class SecuredPortTest {
  private static final String TOKEN = "a token of one's own";
  private static final String PASSWORD = "changeit";
  private static final String BODY = "{\"key\":\"a\",\"value\":\"1\"}\n";

  @TempDir static Path folder;
  @TempDir static Path other;
  private static Security.Tls ours;
  private static Security.Tls stranger;

  @BeforeAll
  static void certify() {
    ours = new Certificates(folder, "authority").node("node");
    stranger = new Certificates(other, "strangers").node("stranger");
  }

  private static HttpCluster cluster(@Nullable String token) {
    HttpCluster cluster = new HttpCluster();
    HttpSettings.Builder http = HttpSettings.builder();
    if (token != null) {
      http.token(token);
    }
    cluster.start(settings -> settings.security(ours), http);
    return cluster;
  }

  private static Certificate certificate(Path pem) throws IOException, GeneralSecurityException {
    try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(pem))) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static PrivateKey key(Path pem) throws IOException, GeneralSecurityException {
    String text = Files.readString(pem).replaceAll("-----[^-]+-----", "");
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text));
    for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException another) {
        assertThat(another).isNotNull(); // the key is of another kind
      }
    }
    throw new AssertionError("The key of " + pem + " is of no kind that is known");
  }

  /** A client that trusts the cluster, and shows a certificate if it has one. */
  private static SSLContext client(Security.@Nullable Tls shown)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("authority", certificate(ours.anchors()));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    if (shown != null) {
      own.setKeyEntry(
          "own",
          key(shown.key()),
          PASSWORD.toCharArray(),
          new Certificate[] {certificate(shown.certificate()), certificate(shown.anchors())});
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** The reply to a request whose connection is closed behind it. */
  private static String ask(
      HttpCluster cluster, Security.@Nullable Tls shown, @Nullable String token, String request)
      throws IOException, GeneralSecurityException {
    try (SSLSocket socket =
        (SSLSocket) client(shown).getSocketFactory().createSocket("127.0.0.1", cluster.port(0))) {
      socket.setSoTimeout(60_000);
      String[] parts = request.split("\n", 2);
      StringBuilder text = new StringBuilder(parts[0]).append(" HTTP/1.1\r\nHost: localhost\r\n");
      text.append("Connection: close\r\n");
      if (token != null) {
        text.append("Authorization: Bearer ").append(token).append("\r\n");
      }
      String body = parts.length > 1 ? parts[1] : "";
      text.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
      socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aCertificateOfTheClusterOpensThePort() throws Exception {
    try (HttpCluster cluster = cluster(null)) {
      assertThat(cluster.server(0).url()).startsWith("https://");
      assertThat(ask(cluster, ours, null, "GET /v1/cluster"))
          .startsWith("HTTP/1.1 200 OK")
          .contains("\"security\":\"tls\"");
      assertThat(ask(cluster, ours, null, "POST /v1/caches/tls/entries?format=ndjson\n" + BODY))
          .startsWith("HTTP/1.1 200 OK")
          .contains("\"written\":1");
      assertThat(ask(cluster, ours, null, "GET /v1/caches/tls/entries"))
          .contains("{\"key\":\"a\",\"value\":\"1\"}");
    }
  }

  @Test
  void withoutACertificateOrWithAForeignOneNothingIsAnswered() throws Exception {
    try (HttpCluster cluster = cluster(null)) {
      for (Security.Tls shown : new Security.Tls[] {null, stranger}) {
        assertThatThrownBy(
                () -> {
                  String reply = ask(cluster, shown, null, "GET /health/live");
                  if (reply.isEmpty()) {
                    throw new IOException("the connection was closed");
                  }
                })
            .isInstanceOf(IOException.class);
      }
      assertThat(ask(cluster, ours, null, "GET /health/live")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void aClientThatStillSendsGetsTheReplyThatEndsItsLoad() throws Exception {
    int restBytes = 16 << 20;
    try (HttpCluster cluster = cluster(null);
        SSLSocket socket =
            (SSLSocket)
                client(ours).getSocketFactory().createSocket("127.0.0.1", cluster.port(0))) {
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      String head =
          "POST /v1/caches/tls/entries?format=ndjson&stopAtFirstFailure=true HTTP/1.1\r\n"
              + "Host: localhost\r\nContent-Length: ";
      String line = "nonsense\n";
      out.write(
          (head + (line.length() + restBytes) + "\r\n\r\n" + line)
              .getBytes(StandardCharsets.US_ASCII));
      out.write(new byte[restBytes]);
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 400")
          .contains("\"line\":1", "\"report\":{");
    }
  }

  @Test
  void aTokenOpensThePortToProgramsWithoutACertificate() throws Exception {
    try (HttpCluster cluster = cluster(TOKEN)) {
      assertThat(ask(cluster, null, TOKEN, "GET /v1/cluster")).startsWith("HTTP/1.1 200 OK");
      assertThat(ask(cluster, ours, null, "GET /v1/cluster")).startsWith("HTTP/1.1 200 OK");
      for (String path :
          List.of(
              "GET /v1/cluster",
              "GET /v1/caches/tls/entries",
              "GET /v1/caches/tls/changes",
              "GET /v1/caches/tls/aggregate",
              "POST /v1/caches/tls/entries?format=ndjson\n" + BODY)) {
        assertThat(ask(cluster, null, null, path)).as(path).startsWith("HTTP/1.1 401");
        assertThat(ask(cluster, null, "another token", path)).as(path).startsWith("HTTP/1.1 401");
      }
      assertThat(ask(cluster, null, null, "GET /health/live")).startsWith("HTTP/1.1 200 OK");
      assertThat(cluster.node(0).caches().join().caches())
          .as("nothing was made by who was refused")
          .noneMatch(cache -> cache.name().equals("tls"));
    }
  }

  @Test
  void aClientWithoutTlsIsNotAnswered() throws Exception {
    try (HttpCluster cluster = cluster(TOKEN);
        RawClient plain = new RawClient(cluster.port(0))) {
      plain.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
      byte[] reply = new byte[4096];
      int read = plain.read(reply);
      assertThat(new String(reply, 0, Math.max(0, read), StandardCharsets.ISO_8859_1))
          .doesNotContain("HTTP/1.1");
    }
  }
}
