package dev.headrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cli.terminal.StandardOutput;
import dev.headrace.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class DemoTest {

  @Test
  @Timeout(240)
  void everyCheckOfTheDemonstrationHolds() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream screen = new PrintStream(out, true, StandardCharsets.UTF_8);
    InputStream nothing = InputStream.nullInputStream();
    Terminal terminal =
        new Terminal(nothing, new StandardOutput(out), screen, false, action -> () -> {});
    int exitCode = new DemoCommand(terminal).call();
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(exitCode).as(text).isZero();
    assertThat(text).contains("All checks hold").doesNotContain("FAILED");
    assertThat(text.split("arrived exactly once", -1)).hasSize(5);
    assertThat(text.split("segments copied", -1)).hasSize(4);
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
  }
}
