package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left in a file when a scan fails. */
final class ScanTargetTest {
  @TempDir private Path folder;

  @Test
  void halfABatchIsCutOff() throws IOException {
    Path file = Files.writeString(folder.resolve("people.csv"), "what was there before");
    try (ScanTarget target = open(file, false)) {
      target.begin(null, 0);
      write(target, "id\n1\nhalf of the next");
      target.stopped("token", "id\n1\n".length(), 0);
    }
    assertThat(file).hasContent("id\n1\n");
  }

  @Test
  void whatIsAppendedToStays() throws IOException {
    Path file = Files.writeString(folder.resolve("people.csv"), "id\n1\n");
    try (ScanTarget target = open(file, true)) {
      target.begin("token", 0);
      write(target, "2\nhalf of the next");
      target.stopped("token", "2\n".length(), 0);
    }
    assertThat(file).hasContent("id\n1\n2\n");
  }

  private static ScanTarget open(Path file, boolean append) throws IOException {
    return ScanTarget.open(file, "--cache quotes", append, Terminal.system());
  }

  private static void write(ScanTarget target, String text) throws IOException {
    target.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
