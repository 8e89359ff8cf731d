package dev.headrace.cluster.command;

import dev.headrace.api.Headrace;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Sets a key's value. */
@Command(
    name = "put",
    mixinStandardHelpOptions = true,
    description = "Sets the value of a key. When it ends with 0, all owners hold the entry.",
    footerHeading = "%nExample:%n",
    footer = "  headrace put 4711 '{\"name\":\"Ada\"}' --cache people")
final class PutCommand implements Callable<Integer> {
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private CacheOptions cache = new CacheOptions();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Parameters(index = "1", paramLabel = "VALUE", description = "The value.")
  private String value = "";

  @Override
  public Integer call() throws CommandFailure {
    try (Headrace node = cluster.join()) {
      cache.open(node).put(key, value);
      return 0;
    }
  }
}
