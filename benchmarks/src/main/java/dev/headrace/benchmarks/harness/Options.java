package dev.headrace.benchmarks.harness;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The command line of a benchmark, as {@code benchmarks/run} passes it on.
 *
 * @param quick whether to measure only what the final figures need, in under five minutes
 * @param rounds how many forks each cell of JMH gets
 * @param only the systems to measure; empty for all
 * @param output the JSON file to write
 */
public record Options(boolean quick, int rounds, Set<String> only, Path output) {

  private static final int FULL_ROUNDS = 3;

  /** Copies the set. */
  public Options {
    only = Set.copyOf(only);
  }

  /** Whether this system takes part. */
  public boolean includes(String system) {
    return only.isEmpty() || only.contains(system);
  }

  /**
   * How long JMH measures a cell whose cluster its set-up has warmed. Other paths are compiled for
   * many threads than for the one thread of the set-up, and the compilers get little of two cores
   * beside them: rates still grow by half in the first ten seconds.
   */
  public JmhSchedule clusterSchedule() {
    return quick ? new JmhSchedule(1, 1000, 2, 800) : new JmhSchedule(5, 1500, 3, 1500);
  }

  /** The file beside the output that holds everything in JMH's own form. */
  public Path jmhOutput() {
    String name = String.valueOf(output.getFileName());
    return output.resolveSibling(name.replaceFirst("(\\.json)?$", ".jmh.json"));
  }

  /**
   * Reads {@code --output FILE [--quick] [--rounds N] [--only SYSTEM...]}; a full run has three
   * rounds unless one asks for others.
   *
   * @param known the names of the systems that this benchmark can measure
   * @throws IllegalArgumentException if an argument or a system is unknown, or the file is missing
   */
  public static Options parse(String[] arguments, List<String> known) {
    return parse(arguments, known, FULL_ROUNDS);
  }

  /**
   * The same with another number of rounds.
   *
   * @param known the names of the systems that this benchmark can measure
   * @param fullRounds the rounds of a full run unless one asks for others
   * @throws IllegalArgumentException if an argument or a system is unknown, or the file is missing
   */
  public static Options parse(String[] arguments, List<String> known, int fullRounds) {
    boolean quick = false;
    int rounds = 0;
    Set<String> only = new LinkedHashSet<>();
    Path output = null;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--quick" -> quick = true;
        case "--only" -> {
          int first = i + 1;
          while (i + 1 < arguments.length && !arguments[i + 1].startsWith("--")) {
            only.add(system(arguments[++i], known));
          }
          if (i < first) {
            throw new IllegalArgumentException("--only needs at least one of " + known);
          }
        }
        case "--rounds" -> {
          if (++i == arguments.length || !arguments[i].matches("[1-9][0-9]?")) {
            throw new IllegalArgumentException("--rounds needs a number from 1 to 99");
          }
          rounds = Integer.parseInt(arguments[i]);
        }
        case "--output" -> {
          if (++i == arguments.length) {
            throw new IllegalArgumentException("--output needs a file");
          }
          output = Path.of(arguments[i]);
        }
        default ->
            throw new IllegalArgumentException(
                "Unknown argument "
                    + arguments[i]
                    + "; known are --quick, --rounds N, --only SYSTEM... and --output FILE");
      }
    }
    if (output == null) {
      throw new IllegalArgumentException("--output FILE is missing");
    }
    int usual = quick ? 1 : fullRounds;
    return new Options(quick, rounds == 0 ? usual : rounds, only, output);
  }

  private static String system(String name, List<String> known) {
    if (!known.contains(name)) {
      throw new IllegalArgumentException("Unknown system " + name + "; known are " + known);
    }
    return name;
  }
}
