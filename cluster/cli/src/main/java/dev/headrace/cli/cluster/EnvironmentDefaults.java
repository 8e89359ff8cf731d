package dev.headrace.cli.cluster;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What options that are not given are taken from, where a shell sets them once for all commands:
 * {@code --cluster} from the environment variable {@code HEADRACE_CLUSTER}.
 */
public final class EnvironmentDefaults implements IDefaultValueProvider {
  private static final Set<String> OPTIONS =
      Set.of("--cluster", "--config", "--join", "--folder", "--bind", "--timeout", "--cache");

  private final Lookup environment;

  /** Finds the value of an environment variable. */
  @FunctionalInterface
  public interface Lookup {
    /** The value; null if it is not set. */
    @Nullable String find(String variable);
  }

  /** Defaults from an environment. */
  public EnvironmentDefaults(Lookup environment) {
    this.environment = environment;
  }

  /**
   * A variable that sets something else than an option of a command, or null.
   *
   * @param variable its name
   */
  @Nullable String find(String variable) {
    return environment.find(variable);
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    String variable = variable(argument);
    String value = variable == null ? null : environment.find(variable);
    return value == null || value.isBlank() ? null : value;
  }

  /**
   * The variable that an option can come from; null if there is none. An option that names several
   * caches, and none for all of them, is not one for a shell to set.
   */
  public static @Nullable String variable(ArgSpec argument) {
    return argument instanceof OptionSpec option
            && OPTIONS.contains(option.longestName())
            && !(option.isMultiValue() && option.longestName().equals("--cache"))
        ? "HEADRACE_" + option.longestName().substring(2).toUpperCase(Locale.ROOT)
        : null;
  }
}
