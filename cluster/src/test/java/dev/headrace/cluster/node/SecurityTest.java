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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who becomes a node, and who does not. */
@Timeout(300)
final class SecurityTest {
  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final Security OURS = Security.secret("0123456789abcdef0123456789abcdef");
  private static final Security THEIRS = Security.secret("0123456789abcdef0123456789abcdeX");

  @TempDir private Path folder;
  @TempDir private Path other;

  @Test
  void nodesThatShareASecretAreACluster() {
    try (TestCluster cluster = new TestCluster()) {
      HeadraceNode first = cluster.start(settings -> settings.security(OURS));
      HeadraceNode second = cluster.start(settings -> settings.security(OURS));
      assertWorking(first, second);
      refused(cluster, THEIRS);
      refused(cluster, Security.none());
      assertWorking(second, first);
    }
  }

  @Test
  void nodesWithoutSecurityTakeNoOneWithIt() {
    try (TestCluster cluster = TestCluster.of(1)) {
      refused(cluster, OURS);
      assertWorking(cluster.node(0), cluster.start(settings -> settings));
    }
  }

  @Test
  void nodesOfOneAuthorityAreACluster() throws Exception {
    Certificates authority = new Certificates(folder, "authority");
    Security.Tls files = authority.node("first");
    Security.Tls strangers = new Certificates(other, "stranger").node("node");
    Security forged = Security.tls(strangers.certificate(), strangers.key(), files.anchors());
    try (TestCluster cluster = new TestCluster()) {
      HeadraceNode first = cluster.start(settings -> settings.security(files));
      HeadraceNode second = cluster.start(settings -> settings.security(authority.node("second")));
      assertWorking(first, second);
      refused(cluster, forged);
      refused(cluster, Security.none());
      assertWorking(second, first);
    }
  }

  @Test
  void changedCertificatesAreUsedWithoutARestart() throws Exception {
    Security.Tls before = new Certificates(folder, "before").node("node");
    Security.Tls after = new Certificates(other, "after").node("node");
    try (TestCluster cluster = new TestCluster()) {
      HeadraceNode first = cluster.start(settings -> settings.security(before));
      refused(cluster, after);
      Instant changed = Instant.now().plusSeconds(60);
      replace(after.certificate(), before.certificate(), changed);
      replace(after.key(), before.key(), changed);
      replace(after.anchors(), before.anchors(), changed);
      assertWorking(first, cluster.start(settings -> settings.security(after)));
    }
  }

  private static void replace(Path from, Path to, Instant changed) throws Exception {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(to, FileTime.from(changed));
  }

  @Test
  void anOpenAddressIsRefusedWhereSecurityIsRequired() {
    try (TestCluster cluster = new TestCluster()) {
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
    try (TestCluster cluster = new TestCluster();
        RecordedLog log = RecordedLog.of(NodeSecurity.class)) {
      assertThatThrownBy(() -> Headrace.start(cluster.settings().bindAddress("192.0.2.1").build()))
          .isInstanceOf(HeadraceException.class);
      assertThat(log.warnings()).anyMatch(text -> text.contains("with security none: whoever"));
    }
  }

  private static void refused(TestCluster cluster, Security security) {
    assertThatThrownBy(
            () -> cluster.start(settings -> settings.security(security).joinTimeout(SHORT)))
        .isInstanceOf(HeadraceException.class);
  }

  private static void assertWorking(HeadraceNode first, HeadraceNode second) {
    Cache<String, String> here = first.cache("quotes", String.class, String.class);
    Cache<String, String> there = second.cache("quotes", String.class, String.class);
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
