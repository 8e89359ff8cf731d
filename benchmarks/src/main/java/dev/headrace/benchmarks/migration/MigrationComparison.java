package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The comparison of {@code benchmarks/run migration}.
 *
 * <p>Systems are asked in turn, in random order, round by round; a figure of a system is the median
 * over its rounds. Each cluster is founded anew for each measurement.
 */
public final class MigrationComparison implements AutoCloseable {

  private static final int MIB = 1 << 20;
  private static final int ROUNDS = 3;
  private static final int WARMUP_SECONDS = 45;
  private static final int SMALL_FLAT_CASES = 3;
  private static final int WARMUP_LIMIT_SECONDS = 20;

  private static final JoinCase SMALL = JoinCase.seed(5, 1999, 7);
  private static final JoinCase MIDDLE = JoinCase.seed(5, 10_000, 7);
  private static final JoinCase LARGE = JoinCase.seed(10, 10_000, 7);
  private static final JoinCase LARGE_TWO_OWNERS = JoinCase.seed(10, 10_000, 2);

  /** The figures of the last line. */
  static final List<String> KEYS =
      List.of(
          "vs_hazelcast",
          "vs_full_table",
          "moves_over_bound",
          "crash_moves_over_bound",
          "flatness",
          "agreement_messages_per_move",
          "bytes_per_migration",
          "image_bytes_per_replica",
          "publish_lag_p99_ms",
          "pause_p99_ms",
          "pause_max_ms",
          "stamp_ns",
          "repair_bytes",
          "stream_share");

  private final Options options;
  private final Results results;
  private final MigrationFigures figures;
  private final Random random = new Random();
  private final Map<MigrationSystem, Fork> forks = new EnumMap<>(MigrationSystem.class);

  private MigrationComparison(Options options) {
    this.options = options;
    this.results = new Results("migration", options.quick());
    this.figures = new MigrationFigures(results);
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    Options options = Options.parse(arguments, MigrationSystem.labels(), ROUNDS);
    Results results;
    try (MigrationComparison benchmark = new MigrationComparison(options)) {
      benchmark.run();
      results = benchmark.results;
    }
    results.end(options.output(), KEYS);
  }

  private void run() {
    start();
    if (options.quick()) {
      quickJoins();
    } else {
      fullJoins();
    }
    if (forks.containsKey(MigrationSystem.HEADRACE)) {
      alone();
    }
    figures.draw(LARGE);
    System.out.println(figures);
  }

  /** One measurement that fails leaves its figures out, and the others stand. */
  private void attempt(String what, Runnable measurement) {
    try {
      measurement.run();
    } catch (RuntimeException e) {
      results.failed(what + ": " + e.getMessage());
    }
  }

  private void start() {
    for (MigrationSystem system : MigrationSystem.values()) {
      if (options.includes(system.label())) {
        forks.put(system, fork(system.label(), system, MigrationSystem.jvmArguments()));
      }
    }
    forks.forEach(
        (system, fork) ->
            results.version(
                system.label(), fork.ask(HarnessMessage.of("version")).text("version")));
  }

  private static Fork fork(String name, MigrationSystem system, List<String> jvmArguments) {
    return Fork.start(
        "migration-" + name, MigrationWorker.class, jvmArguments, List.of(system.label()));
  }

  // ---- Joins

  /** What the last line needs, and no more: one size less, and nothing twice. */
  private void quickJoins() {
    grow(MigrationSystem.HEADRACE, SMALL);
    grow(MigrationSystem.HAZELCAST, SMALL);
    grow(MigrationSystem.HEADRACE, LARGE);
    grow(MigrationSystem.HAZELCAST, LARGE);
    grow(MigrationSystem.FULL_TABLE, LARGE.limited(15));
    grow(MigrationSystem.HEADRACE, LARGE_TWO_OWNERS, true);
  }

  /** What ratios are drawn from in several rounds, everything else once. */
  private void fullJoins() {
    for (MigrationSystem system : inRandomOrder()) {
      List<JoinCase> shapes = List.of(LARGE_TWO_OWNERS, SMALL, LARGE);
      warmUp(system.label(), Objects.requireNonNull(forks.get(system)), shapes);
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (JoinCase shape : List.of(SMALL, LARGE)) {
        for (MigrationSystem system : inRandomOrder()) {
          if (system != MigrationSystem.FULL_TABLE) {
            grow(system, shape);
          }
        }
      }
      grow(MigrationSystem.HEADRACE, LARGE_TWO_OWNERS, true);
    }
    for (JoinCase shape : List.of(MIDDLE, SMALL.owners(2), MIDDLE.owners(2), LARGE_TWO_OWNERS)) {
      grow(MigrationSystem.HEADRACE, shape);
      grow(MigrationSystem.HAZELCAST, shape);
      grow(MigrationSystem.FULL_TABLE, shape.limited(10));
    }
    grow(MigrationSystem.FULL_TABLE, SMALL.limited(20));
    grow(MigrationSystem.FULL_TABLE, LARGE.limited(30));
    grow(MigrationSystem.HEADRACE, LARGE.notHeld());
    grow(MigrationSystem.HEADRACE, LARGE_TWO_OWNERS.notHeld());
  }

  /**
   * No figure of this counts. A JVM of ten members on two cores spends a third of its first minute
   * in its compiler: each system runs what is measured until that is over, all of them about
   * equally long.
   */
  private void warmUp(String name, Fork fork, List<JoinCase> shapes) {
    attempt(
        name + ", warming up",
        () -> {
          long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WARMUP_SECONDS);
          for (int i = 0; System.nanoTime() < untilNanos; i++) {
            JoinCase shape = shapes.get(i % shapes.size()).limited(WARMUP_LIMIT_SECONDS);
            fork.ask(shape.addTo(HarnessMessage.of("grow")).with("crash", false));
          }
        });
  }

  private List<MigrationSystem> inRandomOrder() {
    List<MigrationSystem> systems = new ArrayList<>(forks.keySet());
    Collections.shuffle(systems, random);
    return systems;
  }

  /** Sizes that should not make a difference; the first warms up too. */
  private List<JoinCase> flatCases() {
    List<JoinCase> cases = new ArrayList<>();
    cases.add(JoinCase.flat(10, 10_000));
    cases.add(JoinCase.flat(10, 1000));
    cases.add(JoinCase.flat(5, 10_000));
    if (!options.quick()) {
      cases.add(JoinCase.flat(10, 100_000));
    }
    return cases;
  }

  private void grow(MigrationSystem system, JoinCase shape) {
    grow(system, shape, false);
  }

  private void grow(MigrationSystem system, JoinCase shape, boolean crash) {
    Fork fork = forks.get(system);
    if (fork != null) {
      HarnessMessage command = shape.addTo(HarnessMessage.of("grow").with("crash", crash));
      attempt(system.label() + ", " + shape, () -> figures.grown(system, shape, fork.ask(command)));
    }
  }

  // ---- Headrace alone

  /** What is not compared with another system. */
  private void alone() {
    try (Fork fork = fork("headrace-g1", MigrationSystem.HEADRACE, List.of())) {
      List<JoinCase> small = flatCases().subList(0, SMALL_FLAT_CASES);
      if (!options.quick()) {
        warmUp("headrace-g1", fork, small);
      }
      for (int round = 0; round < options.rounds(); round++) {
        flatCases().forEach(shape -> attempt("flat, " + shape, () -> flat(fork, shape)));
      }
    }
    Fork fork = Objects.requireNonNull(forks.get(MigrationSystem.HEADRACE));
    attempt("the tables", () -> table(fork));
    attempt("virtual members", () -> virtualMembers(fork));
    attempt("hand-overs", () -> pauses(fork));
    attempt("streams", () -> streams(fork));
  }

  private void flat(Fork fork, JoinCase shape) {
    figures.flat(shape, fork.ask(shape.addTo(HarnessMessage.of("grow").with("crash", false))));
  }

  private void table(Fork fork) {
    for (int segments : List.of(1000, 10_000, 100_000)) {
      figures.table(segments, fork.ask(HarnessMessage.of("table").with("segments", segments)));
    }
    figures.repair(fork.ask(HarnessMessage.of("repair").with("segments", 10_000)));
  }

  /** More than this machine can run, and as many on processors of their own. */
  private void virtualMembers(Fork fork) {
    List<JoinCase> shapes = new ArrayList<>(flatCases());
    shapes.add(JoinCase.flat(50, 1000));
    shapes.add(JoinCase.flat(50, 10_000));
    for (JoinCase shape : shapes) {
      figures.virtual(shape, fork.ask(shape.addTo(HarnessMessage.of("virtual"))));
    }
  }

  private void pauses(Fork fork) {
    pauses(fork, 64, MIB, 1000, options.quick() ? 4 : 20);
    if (!options.quick()) {
      pauses(fork, 6, 64 * MIB, 10_000, 10);
      pauses(fork, 3, 256 * MIB, 10_000, 3);
    }
  }

  private void pauses(Fork fork, int segments, int segmentBytes, int valueBytes, int cycles) {
    HarnessMessage command =
        HarnessMessage.of("pauses")
            .with("segments", segments)
            .with("segmentBytes", segmentBytes)
            .with("bytes", valueBytes)
            .with("cycles", cycles)
            .with("warmup", segmentBytes == MIB ? Math.max(1, cycles / 2) : 1)
            .with("quiet", options.quick() ? 1000 : 3000);
    figures.pauses(segmentBytes / MIB, fork.ask(command));
  }

  private void streams(Fork fork) {
    int rounds = options.quick() ? 1 : 3;
    for (int round = 0; round < rounds; round++) {
      HarnessMessage command =
          HarnessMessage.of("streams")
              .with("segments", 10_000)
              .with("entries", 100_000)
              .with("bytes", 100)
              .with("cycles", 3)
              .with("quiet", 1000);
      figures.streams(fork.ask(command));
    }
  }

  @Override
  public void close() {
    forks.values().forEach(Fork::close);
  }
}
