package dev.headrace.cli;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes keys. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Deletes keys and their values.",
      "The exit code is 3 if one of the keys, or the cache, is not there; the others are "
          + "deleted all the same."
    },
    footerHeading = "%nExample:%n",
    footer = "  headrace delete 4711 4712 --cache people")
final class DeleteCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "KEY", arity = "1..*", description = "The keys.")
  private List<String> keys = new ArrayList<>();

  @Mixin private CacheOptions cache = new CacheOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  DeleteCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      Cache<String, String> target = cache.openToDelete(node);
      Set<String> missing = new LinkedHashSet<>();
      for (String key : new LinkedHashSet<>(keys)) {
        if (!target.remove(key)) {
          missing.add("\"" + key + "\"");
        }
      }
      if (!missing.isEmpty()) {
        throw new CommandFailure(
            CommandFailure.NOT_FOUND,
            (missing.size() == 1 ? "there is no key " : "there are no keys ")
                + String.join(", ", missing)
                + " in cache \""
                + cache.name()
                + "\"",
            null);
      }
      terminal.out().println("Deleted " + Figures.entries(Set.copyOf(keys).size()));
      return 0;
    }
  }
}
