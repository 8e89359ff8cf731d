package dev.headrace.cli.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;

/** Has a user type the name of what is about to be deleted, unless an option says not to ask. */
public final class Confirmation {
  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  /**
   * Asks if that is wanted, and reads a line.
   *
   * @param consequence what happens then, as the beginning of a sentence
   * @throws CommandFailure if the answer is not the name
   */
  public void ask(Terminal terminal, String consequence, String name) throws CommandFailure {
    if (yes) {
      return;
    }
    terminal.err().print("%s. Type the cache's name (%s) to go on: ".formatted(consequence, name));
    terminal.err().flush();
    BufferedReader answer =
        new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
    String line;
    try {
      line = answer.readLine();
    } catch (IOException e) {
      throw FailureText.file("standard input", e);
    }
    if (line == null || !line.strip().equals(name)) {
      throw new CommandFailure(
          "nothing was deleted: the answer was not the cache's name; --yes does not ask");
    }
  }
}
