package dev.headrace.cluster.command;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import picocli.CommandLine.Option;

/** Which cache of the cluster a command means. */
final class CacheOptions {
  @Option(
      names = "--cache",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "The cache's name (${DEFAULT-VALUE}).")
  private String name = "";

  String name() {
    return name;
  }

  /** Opens it, with strings for keys and values. */
  Cache<String, String> open(Headrace node) {
    return node.cache(name, String.class, String.class);
  }
}
