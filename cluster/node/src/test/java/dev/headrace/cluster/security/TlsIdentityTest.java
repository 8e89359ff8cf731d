package dev.headrace.cluster.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which files make an identity. */
@Timeout(300)
final class TlsIdentityTest {
  @TempDir private Path folder;

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    Certificates authority = new Certificates(folder, "authority");
    Security.Tls good = authority.node("node");
    Security.Tls other = authority.node("other");
    refused(new Security.Tls(good.certificate(), other.key(), good.anchors()), "together");
    assertThat(new TlsIdentity(good).engine(true).getEnabledProtocols()).containsExactly("TLSv1.3");
    Path absent = folder.resolve("absent.pem");
    refused(new Security.Tls(absent, good.key(), good.anchors()), "absent.pem");
    refused(new Security.Tls(good.certificate(), absent, good.anchors()), "absent.pem");
    refused(new Security.Tls(good.certificate(), good.key(), absent), "absent.pem");
    Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
    refused(new Security.Tls(text, good.key(), good.anchors()), "text.pem");
    refused(new Security.Tls(good.certificate(), text, good.anchors()), "PKCS #8");
    Path damaged =
        Files.writeString(
            folder.resolve("damaged.pem"),
            Files.readString(good.key()).replaceFirst("(KEY-----\n.{20}).{10}", "$1"));
    refused(new Security.Tls(good.certificate(), damaged, good.anchors()), "damaged.pem");
  }

  private static void refused(Security.Tls files, String reason) {
    assertThatThrownBy(() -> new TlsIdentity(files))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining(reason);
  }
}
