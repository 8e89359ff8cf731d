package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scripts for shells, run in these. */
@Timeout(60)
final class CompletionTest {
  private static final Path BASH = Path.of("/bin/bash");
  private static final Path ZSH = Path.of("/usr/bin/zsh");

  /**
   * Types lines into a zsh at a terminal, and prints what it completes the last word of each to.
   * Its arguments are a script and the lines.
   */
  private static final String ZSH_AT_A_TERMINAL =
      """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      ask() { zpty -w shell "$1; print -r -- \\"do\\"ne"; zpty -r -m shell answer '*done*'; }
      ask 'PS1= RPS1= PS2=; stty -echo'
      ask 'autoload -Uz compinit; compinit -u; source '${(q)1}
      ask 'compadd() { few=(); builtin compadd -O few "$@"; found+=($few); builtin compadd "$@" }'
      ask 'candidates() { found=(); zle list-choices; print -r -- "<${(j: :)found}>"; BUFFER= }'
      ask 'zle -N candidates; bindkey "^T" candidates'
      shift
      for line; do
        zpty -w -n shell "$line"$'\\C-t'
        zpty -r -m shell answer '*<*>*'
        print -r -- "${${answer##*<}%%>*}"
      done
      zpty -d shell
      """;

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
    return output(new ProcessBuilder(BASH.toString(), "-c", line));
  }

  /** What zsh completes the last word of each line to, after it has sourced a script. */
  private List<String> completedByZsh(Path sourced, String... lines)
      throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(ZSH), "there is no zsh");
    Path terminal = Files.writeString(folder.resolve("terminal.zsh"), ZSH_AT_A_TERMINAL);
    List<String> command = new ArrayList<>();
    command.addAll(List.of(ZSH.toString(), "-f", terminal.toString(), sourced.toString()));
    command.addAll(List.of(lines));
    ProcessBuilder zsh = new ProcessBuilder(command);
    zsh.environment().putAll(Map.of("HOME", folder.toString(), "TERM", "xterm"));
    zsh.environment().remove("ZDOTDIR");
    zsh.environment().merge("PATH", folder.toString(), (path, own) -> own + ":" + path);
    return output(zsh).lines().toList();
  }

  private static String output(ProcessBuilder shell) throws IOException, InterruptedException {
    Process running = shell.redirectErrorStream(true).start();
    try {
      String answer = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(running.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return answer;
    } finally {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly();
    }
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
  void zshCompletesCommandsOptionsAndValues() throws Exception {
    Path script = Files.writeString(folder.resolve("script"), script("zsh"));
    assertThat(
            completedByZsh(
                script,
                "headrace sta",
                "headrace s",
                "headrace scan --sel",
                "headrace node --split ",
                "headrace nothing-of-this-name"))
        .containsExactly("status", "scan status", "--select", "DENY ALLOW", "");
  }

  @Test
  void theFileThatIsInstalledForZshAsksOnTheFirstTab() throws Exception {
    Path script = Files.writeString(folder.resolve("script"), script("zsh"));
    Path command = folder.resolve("headrace");
    Files.writeString(command, "#!/bin/sh\ncat '" + script + "'\n");
    assertThat(command.toFile().setExecutable(true)).isTrue();
    Path here = Path.of("").toAbsolutePath();
    Path module = Files.exists(here.resolve("site")) ? here.resolve("cluster/cli") : here;
    assertThat(
            completedByZsh(
                module.resolve("src/dist/completion/headrace.zsh"),
                "headrace sta",
                "headrace load file --rej"))
        .containsExactly("status", "--rejects");
  }

  @Test
  void anotherShellIsRefused() {
    CommandRun command = new CommandRun();
    assertThat(command.run("completion", "fish")).isEqualTo(2);
    assertThat(command.err()).contains("fish", "BASH", "ZSH");
  }
}
