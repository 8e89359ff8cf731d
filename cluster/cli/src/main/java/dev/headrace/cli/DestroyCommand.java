package dev.headrace.cli;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Confirmation;
import dev.headrace.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Removes a cache. */
@Command(
    name = "destroy",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Removes a cache.",
      "It deletes the entries, and the nodes forget the rest. It asks first, and wants the "
          + "cache's name as the answer. A cache of other formats can be opened under the name "
          + "then. Stop the programs that write to it before: they would create it anew."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headrace destroy people", "  headrace destroy people --yes"})
final class DestroyCommand implements Callable<Integer> {
  private static final int NOT_FOUND = 3;

  private final Terminal terminal;

  @Parameters(paramLabel = "CACHE", description = "The cache's name.")
  private String name = "";

  @Mixin private Confirmation confirmation = new Confirmation();

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  DestroyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      CacheStatus present = find(name, node.caches().join());
      String entries = Figures.entries(present.entries());
      confirmation.ask(terminal, "This removes the cache with " + entries, name);
      node.destroy(name).join();
      terminal.out().println("Removed cache \"" + name + "\" with " + entries);
      return 0;
    } catch (CompletionException e) {
      throw e.getCause() instanceof HeadraceException known ? known : e;
    }
  }

  /**
   * Finds a cache.
   *
   * @throws CommandFailure if there is none, or if a node that does not answer may have it
   */
  static CacheStatus find(String name, CacheReport report) throws CommandFailure {
    CacheStatus present = report.cache(name).orElse(null);
    if (present != null) {
      return present;
    }
    if (report.complete()) {
      throw new CommandFailure(NOT_FOUND, "there is no cache \"" + name + "\"", null);
    }
    throw new CommandFailure(
        "whether there is a cache \""
            + name
            + "\" is not known now: "
            + (report.missingNodes().isEmpty()
                ? "segments are moving"
                : "nodes " + String.join(", ", report.missingNodes()) + " do not answer")
            + "; try again in a moment");
  }
}
