package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class CompletionTest {
  private static final Path BASH = Path.of("/bin/bash");

  @TempDir private Path folder;

  private static String script(String shell) {
    CommandRun command = new CommandRun();
    assertThat(command.run("completion", shell)).as(command.err()).isZero();
    return command.out();
  }

  /** What bash completes the last word to. */
  private String completed(String... words) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(BASH), "there is no bash");
    Path file = Files.writeString(folder.resolve("completion"), script("bash"));
    String line =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_headrace; echo \"${COMPREPLY[@]}\""
            .formatted(file, String.join(" ", words), words.length - 1);
    Process bash =
        new ProcessBuilder(BASH.toString(), "-c", line).redirectErrorStream(true).start();
    String answer = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return answer;
  }

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    assertThat(completed("headrace", "sta")).contains("status");
    assertThat(completed("headrace", "scan", "--sel")).contains("--select");
    assertThat(completed("headrace", "node", "--spl")).contains("--split");
  }

  @Test
  void theScriptIsForZshToo() {
    assertThat(script("zsh")).contains("ZSH_VERSION", "complete -F _complete_headrace");
  }

  @Test
  void anotherShellIsRefused() {
    CommandRun command = new CommandRun();
    assertThat(command.run("completion", "fish")).isEqualTo(2);
    assertThat(command.err()).contains("fish", "BASH", "ZSH");
  }
}
