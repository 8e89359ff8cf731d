package dev.headrace.cluster.wire;

import dev.headrace.cluster.security.Certificates;
import dev.headrace.cluster.security.PortSecurity;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** What holds for the transport holds behind TLS, where senders encrypt what they send. */
final class EncryptedTransportTest extends WireTransportTest {
  @TempDir private static Path folder;

  private static PortSecurity certified;

  @BeforeAll
  static void certify() {
    certified = PortSecurity.of(new Certificates(folder, "authority").node("node"), "mill");
  }

  @Override
  PortSecurity security() {
    return certified;
  }

  /** Without the second compiler, which tests do without, each takes 20 ms to encrypt. */
  @Override
  int answers() {
    return 320;
  }
}
