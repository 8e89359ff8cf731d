package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people are told about files. */
final class FailuresTest {
  @TempDir private Path folder;

  @Test
  void aFileWithoutPermissionIsNamedWithWhatToDo() {
    CommandFailure failure =
        FailureText.file("people.csv", new AccessDeniedException("people.csv"));
    assertThat(failure)
        .hasMessage("people.csv: access is denied; check the permissions")
        .hasCauseInstanceOf(AccessDeniedException.class);
  }

  @Test
  void anInputWithoutPermissionIsNamedUnlessTheUserMayReadEverything() throws IOException {
    Path file = Files.writeString(folder.resolve("people.csv"), "id\n1\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    CommandRun load = new CommandRun();
    int code = load.run("load", file.toString(), "--key", "id", "--timeout", "1", "-c", "nobody");
    assertThat(code).isEqualTo(1);
    assertThat(load.err())
        .contains(Files.isReadable(file) ? "no cluster" : "access is denied")
        .doesNotContain("\tat ");
  }
}
