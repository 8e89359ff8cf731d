package dev.headrace.cluster.command;

import dev.headrace.api.Headrace;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints who is in the cluster and who holds what. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Prints the cluster's members, the segments each of them holds, segments that are lost, and"
          + " how far a rebalance is.",
      "A segment has one primary, which orders its writes, and backups. There may be fewer owners"
          + " than configured, while there are fewer nodes that hold data."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace status",
      "  headrace status --watch",
      "  headrace status --json | jq .lostSegments"
    })
final class StatusCommand implements Callable<Integer> {
  private static final String TOP_AND_CLEAR = "\u001b[H\u001b[J";

  private final Terminal terminal;

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  @Option(
      names = {"-w", "--watch"},
      description = "Keep it on the screen, made anew every second, until ctrl-C.")
  private boolean watch;

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    try (Headrace node = cluster.join()) {
      if (watch) {
        watch(node);
        return CommandFailure.INTERRUPTED;
      }
      terminal.out().println(text(node));
      return 0;
    }
  }

  private String text(Headrace node) {
    StatusReport report = new StatusReport(node.status());
    return json ? report.json() : report.table();
  }

  /** Prints until the process is asked to end; where lines cannot be drawn over, only changes. */
  private void watch(Headrace node) throws InterruptedException {
    CountDownLatch ending = new CountDownLatch(1);
    String printed = "";
    try (var registration = terminal.interrupts().onInterrupt(ending::countDown)) {
      do {
        String text = text(node);
        if (terminal.redraws()) {
          terminal.out().print(TOP_AND_CLEAR + text + "\n");
          terminal.out().flush();
        } else if (!text.equals(printed)) {
          terminal.out().println(text);
          printed = text;
        }
      } while (!ending.await(1, TimeUnit.SECONDS));
    }
  }
}
