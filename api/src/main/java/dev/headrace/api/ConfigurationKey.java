package dev.headrace.api;

import java.util.Locale;

/**
 * A setting of a node, or of something beside it, as a file or the environment has it.
 *
 * @param name its key in a file; most are named like the method of {@link NodeSettings.Builder}
 * @param allowed what its value may be, as part of a sentence
 */
public record ConfigurationKey(String name, String allowed) {

  /** The environment variable that sets it: {@code HEADRACE_MEMORY_BYTES} for memoryBytes. */
  public String variable() {
    return "HEADRACE_"
        + name.replaceAll("([a-z])([A-Z])", "$1_$2").replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
