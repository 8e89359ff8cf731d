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
      "When it ends with 0, all owners hold the entry. In a new cache both are strings."
    },
    footerHeading = "%nExample:%n",
    footer = "  headrace put 4711 '{\"name\":\"Ada\"}' --cache people")
final class PutCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private CacheOptions cache = new CacheOptions();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key, which is not empty.")
  private String key = "";

  @Parameters(index = "1", paramLabel = "VALUE", description = "The value.")
  private String value = "";

  @Override
  public Integer call() throws CommandFailure {
    if (key.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "the key is empty");
    }
    try (Headrace node = cluster.join()) {
      cache.openToWrite(node).put(key, value);
      return 0;
    }
  }
}
