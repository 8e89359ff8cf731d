package dev.headrace.cli;

import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Prints a key's value. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints the value of a key.",
      "The exit code is 3 if there is no such key or cache. Keys and values may be "
          + "strings, numbers, booleans, UUIDs, instants, enums and byte arrays (in Base64). "
          + "Values may also be records of these, which are printed as JSON."
    },
    footerHeading = "%nExample:%n",
    footer = "  headrace get 4711 --cache people")
final class GetCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Mixin private CacheOptions cache = new CacheOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  GetCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      String value = cache.openToRead(node).get(key);
      if (value == null) {
        throw new CommandFailure(
            CommandFailure.NOT_FOUND,
            "there is no key \"" + key + "\" in cache \"" + cache.name() + "\"",
            null);
      }
      terminal.out().println(value);
      return 0;
    }
  }
}
