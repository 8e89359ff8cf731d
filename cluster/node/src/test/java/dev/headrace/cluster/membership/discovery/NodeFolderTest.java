package dev.headrace.cluster.membership.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeFolderTest {
  private static final Duration MAX_AGE = Duration.ofSeconds(10);
  private static final NodeEntry ENTRY =
      new NodeEntry(
          new NodeId(-1, 42),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 7800),
          NodeEntry.Role.COORDINATOR);

  @TempDir private Path parent;

  @Test
  void whatIsWrittenIsReadUntilItIsDeleted() throws IOException {
    NodeFolder folder = folder();
    folder.write(ENTRY);
    assertThat(folder.read(MAX_AGE)).containsExactly(ENTRY);
    NodeEntry changed = new NodeEntry(ENTRY.id(), ENTRY.address(), NodeEntry.Role.MEMBER);
    folder.write(changed);
    assertThat(folder.read(MAX_AGE)).containsExactly(changed);
    folder.delete(ENTRY.id());
    assertThat(folder.read(MAX_AGE)).isEmpty();
  }

  @Test
  void aFileThatNobodyRefreshesIsPassedOver() throws IOException {
    NodeFolder folder = folder();
    folder.write(ENTRY);
    Path file = clusterFolder().resolve(ENTRY.id() + ".node");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
    assertThat(folder.read(MAX_AGE)).isEmpty();
    folder.write(ENTRY);
    assertThat(folder.read(MAX_AGE)).containsExactly(ENTRY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "0000000000000000000000000000002a 127.0.0.1 7800",
        "0000000000000000000000000000002a 127.0.0.1 0 MEMBER",
        "0000000000000000000000000000002a 127.0.0.1 65536 MEMBER",
        "0000000000000000000000000000002a 127.0.0.1 x MEMBER",
        "000000000000000000000000000000zz 127.0.0.1 7800 MEMBER",
        "2a 127.0.0.1 7800 MEMBER",
        "0000000000000000000000000000002a 127.0.0.1.5 7800 MEMBER",
        "0000000000000000000000000000002a 127.0.0.1 7800 COORDINATOR again",
      })
  void aDamagedFileIsPassedOver(String line) throws IOException {
    NodeFolder folder = folder();
    folder.write(ENTRY);
    Files.writeString(clusterFolder().resolve("damaged.node"), line);
    assertThat(folder.read(MAX_AGE)).containsExactly(ENTRY);
  }

  @Test
  void aFolderThatCannotBeUsedIsNamed() throws IOException {
    Path file = Files.createFile(parent.resolve("file"));
    assertThatThrownBy(() -> NodeFolder.of(file.toString(), "headrace"))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("Discovery.Local");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", "a/b", "../../escape", "a b", "ü", "*"})
  void anyClusterNameStaysWithinTheFolder(String name) throws IOException {
    NodeFolder.of(parent.toString(), name).write(ENTRY);
    try (var folders = Files.list(parent)) {
      assertThat(folders.toList())
          .singleElement()
          .satisfies(path -> assertThat(path).isDirectory());
    }
    assertThat(NodeFolder.of(parent.toString(), name).read(MAX_AGE)).containsExactly(ENTRY);
  }

  private NodeFolder folder() {
    return NodeFolder.of(parent.toString(), "headrace");
  }

  private Path clusterFolder() {
    return parent.resolve("headrace");
  }
}
