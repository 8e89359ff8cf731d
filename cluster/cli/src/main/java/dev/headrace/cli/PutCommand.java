package dev.headrace.cli;

import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.terminal.CommandFailure;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sets a key's value. */
@Command(
    name = "put",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Sets the value of a key.",
      "Exit code 0 means that all owners have the entry. In a new cache, keys and values "
          + "are strings."
    },
    footerHeading = "%nExample:%n",
    footer = "  headrace put 4711 '{\"name\":\"Ada\"}' --cache people")
final class PutCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key; must not be empty.")
  private String key = "";

  @Parameters(index = "1", paramLabel = "VALUE", description = "The value.")
  private String value = "";

  @Mixin private CacheOptions cache = new CacheOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Override
  public Integer call() throws CommandFailure {
    if (key.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "the key must not be empty");
    }
    try (Headrace node = cluster.join()) {
      cache.openToWrite(node).put(key, value);
      return 0;
    }
  }
}
