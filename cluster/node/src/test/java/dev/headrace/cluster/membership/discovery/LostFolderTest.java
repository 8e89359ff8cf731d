package dev.headrace.cluster.membership.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.RecordedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose folder, in which others of its machine look for it, is gone. */
final class LostFolderTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Deletes as much as there is; the node may write meanwhile. */
  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        boolean unused = file.toFile().delete();
      }
    } catch (UncheckedIOException e) {
      assertThat(e).as("moved meanwhile").hasCauseInstanceOf(NoSuchFileException.class);
    }
  }

  @Test
  void anOperatorIsTold(@TempDir Path parent) throws IOException {
    Path folder = Files.createDirectory(parent.resolve("nodes"));
    NodeSettings settings =
        NodeSettings.builder().discovery(new Discovery.Local(folder.toString())).build();
    try (RecordedLog log = RecordedLog.of(FolderDiscovery.class);
        Headrace node = Headrace.start(settings)) {
      assertThat(log.warnings()).isEmpty();
      long beganNanos = System.nanoTime();
      List<String> warnings = log.warnings();
      while (warnings.isEmpty()) {
        assertThat(System.nanoTime() - beganNanos).isLessThan(PATIENCE_NANOS);
        if (Files.exists(folder)) {
          delete(folder);
        }
        LockSupport.parkNanos(10_000_000);
        warnings = log.warnings();
      }
      assertThat(warnings.get(0)).startsWith("Other nodes of this machine cannot ");
      assertThat(node.status().members()).hasSize(1);
    }
  }
}
