package dev.headrace.cli;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Confirmation;
import dev.headrace.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes all entries of a cache. */
@Command(
    name = "clear",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Deletes all entries of a cache.",
      "It asks first, and wants the cache's name as the answer. The cache stays, empty; entries "
          + "that others write meanwhile may stay, too."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headrace clear people", "  headrace clear people --yes"})
final class ClearCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "CACHE", description = "The cache's name.")
  private String name = "";

  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  ClearCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      Cache<byte[], byte[]> target = CacheOptions.named(name).openToClear(node);
      long entries = target.size();
      confirmation.ask(terminal, "This deletes " + Figures.entries(entries), name);
      target.clear();
      terminal.out().println("Deleted " + Figures.entries(entries) + " of cache \"" + name + "\"");
      return 0;
    }
  }
}
