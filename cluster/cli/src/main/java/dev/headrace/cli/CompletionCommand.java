package dev.headrace.cli;

import dev.headrace.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script that completes commands and options. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints a script that has a shell complete commands and options.",
      "It is the same for bash and zsh."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(headrace completion bash)",
      "  headrace completion zsh > ~/.headrace-completion    # and source it in ~/.zshrc"
    })
final class CompletionCommand implements Callable<Integer> {
  /** The shells that know the script. */
  enum Shell {
    BASH,
    ZSH
  }

  private final Terminal terminal;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
  private Shell shell = Shell.BASH;

  CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    var root = spec.root().commandLine();
    terminal.out().print("# For " + shell + ".\n" + AutoComplete.bash(root.getCommandName(), root));
    terminal.out().flush();
    return 0;
  }
}
