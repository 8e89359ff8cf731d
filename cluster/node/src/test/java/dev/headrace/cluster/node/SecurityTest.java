package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.security.Certificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who becomes a node, and who does not. */
@Timeout(300)
final class SecurityTest {
  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final Security OURS = Security.secret("0123456789abcdef0123456789abcdef");
  private static final Security THEIRS = Security.secret("0123456789abcdef0123456789abcdeX");

  private static final Executor EACH_ITS_THREAD = task -> new Thread(task, "stranger").start();

  @TempDir private static Path folder;
  @TempDir private static Path other;
  @TempDir private static Path changing;

  private static Security.Tls first;
  private static Security.Tls second;
  private static Security.Tls stranger;

  @BeforeAll
  static void certify() {
    Certificates authority = new Certificates(folder, "authority");
    first = authority.node("first");
    second = authority.node("second");
    stranger = new Certificates(other, "strangers").node("stranger");
  }

  @Test
  void nodesWithTheSameSecurityAreAClusterAndTakeNoOneElse() {
    Security forged = Security.tls(stranger.certificate(), stranger.key(), first.anchors());
    try (NodeCluster secret = cluster(OURS, OURS);
        NodeCluster certified = cluster(first, second);
        NodeCluster open = cluster(Security.none())) {
      assertWorking(secret.node(0), secret.node(1));
      assertWorking(certified.node(0), certified.node(1));
      allRefused(
          new Stranger(secret, THEIRS),
          new Stranger(secret, Security.none()),
          new Stranger(certified, forged),
          new Stranger(certified, Security.none()),
          new Stranger(open, OURS));
      assertWorking(secret.node(1), secret.node(0));
      assertWorking(certified.node(1), certified.node(0));
      assertWorking(open.node(0), open.start(settings -> settings));
    }
  }

  @Test
  void changedCertificatesAreUsedWithoutARestart() throws Exception {
    Path certificate = changing.resolve("cert.pem");
    Path key = changing.resolve("key.pem");
    Path anchors = changing.resolve("anchors.pem");
    Instant now = Instant.now();
    replace(first.certificate(), certificate, now);
    replace(first.key(), key, now);
    replace(first.anchors(), anchors, now);
    try (NodeCluster cluster = cluster(Security.tls(certificate, key, anchors))) {
      allRefused(new Stranger(cluster, stranger));
      replace(stranger.certificate(), certificate, now.plusSeconds(60));
      replace(stranger.key(), key, now.plusSeconds(60));
      replace(stranger.anchors(), anchors, now.plusSeconds(60));
      assertWorking(cluster.node(0), cluster.start(settings -> settings.security(stranger)));
    }
  }

  private static void replace(Path from, Path to, Instant changed) throws Exception {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(to, FileTime.from(changed));
  }

  @Test
  void anOpenAddressIsRefusedWhereSecurityIsRequired() {
    try (NodeCluster cluster = new NodeCluster()) {
      assertThatThrownBy(
              () ->
                  Headrace.start(
                      cluster.settings().bindAddress("192.0.2.1").requireSecurity(true).build()))
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("192.0.2.1 with security none")
          .hasMessageContaining("requireSecurity");
      cluster.start(settings -> settings.requireSecurity(true));
      assertThat(cluster.node(0).status().members()).hasSize(1);
    }
  }

  @Test
  void anOpenAddressIsSaid() {
    try (NodeCluster cluster = new NodeCluster();
        RecordedLog log = RecordedLog.of(NodeSecurity.class)) {
      assertThatThrownBy(() -> Headrace.start(cluster.settings().bindAddress("192.0.2.1").build()))
          .isInstanceOf(HeadraceException.class);
      assertThat(log.warnings()).anyMatch(text -> text.contains("with security none: whoever"));
    }
  }

  /** A node that wants to join a cluster, with a security that is not the cluster's. */
  private record Stranger(NodeCluster cluster, Security security) {
    void join() {
      cluster.start(settings -> settings.security(security).joinTimeout(SHORT));
    }
  }

  /** They knock at the same time: each of them goes on until its time is over. */
  private static void allRefused(Stranger... strangers) {
    List<CompletableFuture<Void>> joining =
        Stream.of(strangers)
            .map(s -> CompletableFuture.runAsync(s::join, EACH_ITS_THREAD))
            .toList();
    assertThat(joining)
        .allSatisfy(
            join -> assertThatThrownBy(join::join).hasCauseInstanceOf(HeadraceException.class));
  }

  private static NodeCluster cluster(Security... nodes) {
    NodeCluster cluster = new NodeCluster();
    for (Security security : nodes) {
      cluster.start(settings -> settings.security(security));
    }
    return cluster;
  }

  private static void assertWorking(HeadraceNode writer, HeadraceNode reader) {
    Cache<String, String> here = writer.cache("quotes", String.class, String.class);
    Cache<String, String> there = reader.cache("quotes", String.class, String.class);
    for (int i = 0; i < 500; i++) {
      here.put("k" + i, "v".repeat(i * 20));
    }
    for (int i = 0; i < 500; i++) {
      assertThat(there.get("k" + i)).hasSize(i * 20);
    }
    int seen = 0;
    for (var entry : there) {
      seen += entry.getValue().length() == 20 * number(entry.getKey()) ? 1 : 0;
    }
    assertThat(seen).isEqualTo(500);
  }

  private static int number(String key) {
    return Integer.parseInt(key.substring(1));
  }
}
