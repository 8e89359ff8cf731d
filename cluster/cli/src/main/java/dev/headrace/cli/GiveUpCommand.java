package dev.headrace.cli;

import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Gives up segments whose owners will not come back. */
@Command(
    name = "give-up",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Gives up segments whose owners will not come back.",
      "Segments whose owners have all crashed or cannot be reached wait for them; "
          + "headrace status tells which segments wait for which nodes. Segments that are given "
          + "up begin anew and empty. What they held is lost, even if a node that still has it "
          + "comes back later.",
      "The exit code is 0 when all named segments have begun anew."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headrace give-up 17 18", "  headrace give-up --all"})
final class GiveUpCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--all", description = "All segments that wait for their owners.")
  private boolean all;

  @Parameters(paramLabel = "SEGMENT", arity = "0..*", description = "The numbers of the segments.")
  private List<Integer> named = new ArrayList<>();

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  GiveUpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    if (all != named.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "give either numbers of segments or --all; headrace status lists them");
    }
    try (Headrace node = cluster.join()) {
      Set<Integer> segments = new TreeSet<>(all ? node.status().lostSegments() : named);
      return report(segments, new TreeSet<>(giveUp(node, segments)));
    }
  }

  private Set<Integer> giveUp(Headrace node, Set<Integer> segments)
      throws CommandFailure, InterruptedException {
    try {
      return segments.isEmpty() ? Set.of() : node.giveUp(segments).get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new CommandFailure("the segments were not given up: " + FailureText.oneLine(cause), e);
    }
  }

  private int report(Set<Integer> wanted, Set<Integer> begun) throws CommandFailure {
    if (!begun.isEmpty() || wanted.isEmpty()) {
      terminal
          .out()
          .println(
              (begun.size() == 1 ? "1 segment begins" : begun.size() + " segments begin")
                  + " anew and empty");
    }
    Set<Integer> left = new TreeSet<>(wanted);
    left.removeAll(begun);
    if (!left.isEmpty()) {
      throw new CommandFailure(
          "these segments were not given up, because they do not wait, or because the cluster"
              + " has no quorum: "
              + left
              + "; see headrace status");
    }
    return 0;
  }
}
