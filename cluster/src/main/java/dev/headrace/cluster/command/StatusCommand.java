package dev.headrace.cluster.command;

import dev.headrace.api.Headrace;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints who is in the cluster and who holds what. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Prints the cluster's members, the segments each of them holds, and segments that are lost.",
      "A segment has one primary, which orders its writes, and backups. There may be fewer owners"
          + " than configured, while there are fewer nodes that hold data."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headrace status", "  headrace status --json | jq .lostSegments"})
final class StatusCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      StatusReport report = new StatusReport(node.status());
      terminal.out().println(json ? report.json() : report.table());
      return 0;
    }
  }
}
