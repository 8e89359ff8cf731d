package dev.headrace.benchmarks.harness;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.WorkloadParams;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Drives JMH's runner in rounds: each cell gets one fork a round, in an order that is drawn anew
 * for each round, so that a drift of the machine's speed meets all cells alike.
 *
 * <p>A cell counts with the median over the rounds of JMH's own score. What JMH prints goes to a
 * log. Used by one thread.
 */
public final class JmhRounds implements AutoCloseable {

  /** A peer may fail to start, for want of a port or of processor time. */
  private static final int ATTEMPTS = 2;

  private final Results results;
  private final PrintStream log;
  private final OutputFormat format;
  private final Random random = new Random();

  /** The results of each cell, by round: one whose fork has failed is missing. */
  private final Map<JmhCell, SortedMap<Integer, RunResult>> runs = new LinkedHashMap<>();

  /** What tells a fork how long to warm up. */
  private final String warmUp;

  private int round; // all that were begun
  private final List<Class<?>> profilers = new ArrayList<>();

  /**
   * Begins a run; nothing is measured yet.
   *
   * @param results is told of forks that fail; its name is that of the log in {@code
   *     benchmarks/target/logs}
   * @param options whether it is a quick run, whose JVMs are warmed for a short time only
   */
  public JmhRounds(Results results, Options options) {
    this.results = results;
    warmUp = WarmUp.limit(options.quick());
    try {
      Path folder = Files.createDirectories(Path.of("benchmarks", "target", "logs"));
      Path file = folder.resolve(results.name() + ".jmh.txt");
      log =
          new PrintStream(
              new BufferedOutputStream(Files.newOutputStream(file)), true, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("JMH's log could not be made", e);
    }
    format = OutputFormatFactory.createFormatInstance(log, VerboseMode.NORMAL);
  }

  /** Adds one of JMH's profilers to all forks from now on. */
  public void profile(Class<? extends org.openjdk.jmh.profile.Profiler> profiler) {
    profilers.add(profiler);
  }

  /** Measures all cells, one fork each in every round. */
  public void measure(int rounds, List<JmhCell> cells, Function<JmhCell, JmhSchedule> schedules) {
    List<JmhCell> order = new ArrayList<>(cells);
    for (int begun = 1; begun <= rounds; begun++) {
      round++;
      Collections.shuffle(order, random);
      for (int i = 0; i < order.size(); i++) {
        JmhCell cell = order.get(i);
        System.err.printf(
            "round %d of %d, cell %d of %d: %s %s%n",
            begun, rounds, i + 1, order.size(), cell.method(), cell.coordinates());
        measure(cell, schedules.apply(cell), false);
      }
    }
  }

  /**
   * Measures cells once of which it is not known whether the machine can hold them. One that it
   * cannot hold, or that fails twice, is noted, and the run has not failed.
   */
  public void attempt(List<JmhCell> cells, Function<JmhCell, JmhSchedule> schedules) {
    round++;
    for (JmhCell cell : cells) {
      System.err.printf("once: %s %s%n", cell.method(), cell.coordinates());
      measure(cell, schedules.apply(cell), true);
    }
  }

  private void measure(JmhCell cell, JmhSchedule schedule, boolean mayBeUnable) {
    Consumer<String> inVain = mayBeUnable ? results::unable : results::failed;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        keep(cell, run(cell, schedule));
        return;
      } catch (RunnerException e) {
        if (isOfWrongContent(e)) {
          results.failed(described(cell, e));
          return;
        }
        if (attempt < ATTEMPTS && !(mayBeUnable && hasNoRoom(e))) {
          results.retried(described(cell, e));
        } else {
          inVain.accept(described(cell, e));
          return;
        }
      }
    }
  }

  private RunResult run(JmhCell cell, JmhSchedule schedule) throws RunnerException {
    Collection<RunResult> run = new Runner(options(cell, schedule), format).run();
    if (run.size() != 1) {
      throw new IllegalStateException(cell + " gave " + run.size() + " results, not one");
    }
    return run.iterator().next();
  }

  private void keep(JmhCell cell, RunResult run) {
    runs.computeIfAbsent(cell, c -> new TreeMap<>()).put(round, run);
  }

  private String described(JmhCell cell, RunnerException e) {
    return "round %d, %s %s: %s".formatted(round, cell.method(), cell.coordinates(), reason(e));
  }

  /** JMH hands what a fork has thrown over as the cause of a cause, or as suppressed there. */
  private static Stream<Throwable> reasons(Throwable thrown) {
    Stream<Throwable> below =
        Stream.concat(Stream.ofNullable(thrown.getCause()), Arrays.stream(thrown.getSuppressed()));
    return Stream.concat(below.flatMap(JmhRounds::reasons), Stream.of(thrown));
  }

  static boolean isOfWrongContent(Throwable thrown) {
    return reasons(thrown).anyMatch(WrongContentException.class::isInstance);
  }

  /** Whether the fork ran out of memory or out of the time that loading may take. */
  static boolean hasNoRoom(Throwable thrown) {
    return reason(thrown).endsWith(" exit code " + Fork.NO_ROOM);
  }

  /** The innermost reason that says something. */
  static String reason(Throwable thrown) {
    return reasons(thrown)
        .filter(reason -> reason.getMessage() != null)
        .findFirst()
        .orElse(thrown)
        .toString();
  }

  private org.openjdk.jmh.runner.options.Options options(JmhCell cell, JmhSchedule schedule) {
    String name = cell.benchmark().getName() + "." + cell.method();
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(name) + "$")
            .threads(cell.threads())
            .forks(1)
            .warmupIterations(schedule.warmups())
            .warmupTime(TimeValue.milliseconds(schedule.warmupMillis()))
            .measurementIterations(schedule.iterations())
            .measurementTime(TimeValue.milliseconds(schedule.iterationMillis()))
            .jvmArgsPrepend(jvmOptions(cell))
            .shouldFailOnError(true);
    cell.parameters().forEach(options::param);
    if (cell.cores() > 0) {
      options.addProfiler(OnCores.class, Integer.toString(cell.cores()));
    }
    profilers.forEach(profiler -> options.addProfiler(profiler.getName()));
    return options.build();
  }

  private String[] jvmOptions(JmhCell cell) {
    return cell.jvmOption().isEmpty()
        ? new String[] {warmUp}
        : new String[] {warmUp, cell.jvmOption()};
  }

  /** Whether any round of this cell succeeded. */
  public boolean has(JmhCell cell) {
    return runs.containsKey(cell);
  }

  private Collection<RunResult> results(JmhCell cell) {
    return runs.getOrDefault(cell, Collections.emptySortedMap()).values();
  }

  private static double score(RunResult run) {
    return run.getPrimaryResult().getScore();
  }

  /** JMH's score of each round. */
  public double[] scores(JmhCell cell) {
    return results(cell).stream().mapToDouble(JmhRounds::score).toArray();
  }

  /** The median over the rounds; NaN if there is none. */
  public double median(JmhCell cell) {
    double[] scores = scores(cell);
    return scores.length == 0 ? Double.NaN : Samples.median(scores);
  }

  /** A profiler's figure in each round. */
  public double[] secondary(JmhCell cell, String label) {
    return results(cell).stream()
        .filter(run -> run.getSecondaryResults().containsKey(label))
        .mapToDouble(run -> run.getSecondaryResults().get(label).getScore())
        .toArray();
  }

  /** The scores of the measured iterations, one array per round. */
  public List<double[]> iterations(JmhCell cell) {
    List<double[]> rounds = new ArrayList<>();
    for (RunResult run : results(cell)) {
      for (BenchmarkResult fork : run.getBenchmarkResults()) {
        rounds.add(
            fork.getIterationResults().stream()
                .map(IterationResult::getPrimaryResult)
                .mapToDouble(result -> result.getScore())
                .toArray());
      }
    }
    return rounds;
  }

  /**
   * The ratio of two cells: the median over the rounds of the ratio within one round.
   *
   * @return NaN if one of them was not measured
   */
  public double ratio(JmhCell ours, JmhCell theirs) {
    Map<Integer, RunResult> below = runs.getOrDefault(theirs, Collections.emptySortedMap());
    List<Double> ratios = new ArrayList<>();
    runs.getOrDefault(ours, Collections.emptySortedMap())
        .forEach(
            (both, above) -> {
              RunResult other = below.get(both);
              if (other != null) {
                ratios.add(score(above) / score(other));
              }
            });
    return ratios.isEmpty()
        ? Double.NaN
        : Samples.median(ratios.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Writes everything in JMH's own form, a cell's rounds as its forks. */
  public void write(Path file) {
    List<RunResult> merged = new ArrayList<>();
    runs.forEach((cell, rounds) -> merged.add(merge(cell, List.copyOf(rounds.values()))));
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, "UTF-8")) {
        ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(merged);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("JMH's results could not be written to " + file, e);
    }
  }

  private static RunResult merge(JmhCell cell, List<RunResult> rounds) {
    List<BenchmarkResult> forks = new ArrayList<>();
    rounds.forEach(round -> forks.addAll(round.getBenchmarkResults()));
    return new RunResult(withForks(cell, rounds.get(0).getParams(), forks.size()), forks);
  }

  private static BenchmarkParams withForks(JmhCell cell, BenchmarkParams one, int forks) {
    WorkloadParams parameters = new WorkloadParams();
    int order = 0;
    for (String key : one.getParamsKeys()) {
      parameters.put(key, one.getParam(key), order++);
    }
    for (Map.Entry<String, String> own : cell.forkParameters().entrySet()) {
      parameters.put(own.getKey(), own.getValue(), order++);
    }
    return new BenchmarkParams(
        one.getBenchmark(),
        one.generatedBenchmark(),
        one.shouldSynchIterations(),
        one.getThreads(),
        one.getThreadGroups(),
        one.getThreadGroupLabels(),
        forks,
        one.getWarmupForks(),
        one.getWarmup(),
        one.getMeasurement(),
        one.getMode(),
        parameters,
        one.getTimeUnit(),
        one.getOpsPerInvocation(),
        one.getJvm(),
        one.getJvmArgs(),
        one.getJdkVersion(),
        one.getVmName(),
        one.getVmVersion(),
        one.getJmhVersion(),
        one.getTimeout());
  }

  @Override
  public void close() {
    log.close();
  }
}
