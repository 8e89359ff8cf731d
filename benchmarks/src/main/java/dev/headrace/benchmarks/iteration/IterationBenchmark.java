package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Throughput.Schedule;
import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.Mode;
import dev.headrace.benchmarks.peer.PeerFork;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The referee of {@code benchmarks/run iteration}.
 *
 * <p>For each content, all systems load it and warm up. Then the cells that the final figures are
 * drawn from are measured in several rounds, each in a new random order, so that a drift of the
 * machine's speed meets all of them alike; a cell's figure is its median over the rounds. A full
 * run then measures the rest of the grid once, in random order.
 */
public final class IterationBenchmark implements AutoCloseable {

  private static final String WIRE = "wire";
  private static final int DATA_NODES = 6;

  /** Walks to the end for each sample of the first entry, so that no walk disturbs the next one. */
  private static final int FIRST_ENTRIES = 10_000;

  private static final int LONGEST_WARMUP_SECONDS = 30;

  private static final int FIRST_SAMPLES = 2500;

  private static final List<String> KEYS =
      List.of(
          "vs_infinispan_default",
          "vs_infinispan_same_batch_10",
          "vs_infinispan_same_batch_100",
          "vs_infinispan_same_batch_1000",
          "vs_infinispan_best_100",
          "vs_infinispan_best_1000",
          "wire_share",
          "exactly_once_share",
          "max_buffered_share",
          "alloc_share",
          "first_entry_p99_ms");

  private final Options options;
  private final Results results;
  private final Map<Contender, PeerFork> forks = new EnumMap<>(Contender.class);
  private @Nullable Fork wire;
  private final Scores scores = new Scores();
  private final Random random = new Random();

  private final int rounds;
  private final Schedule round;
  private final Schedule once = new Schedule(200, 1, 400);
  private final Schedule bursty = new Schedule(800, 2, 2000);

  private IterationBenchmark(Options options) {
    this.options = options;
    this.results = new Results("iteration", options.quick());
    this.rounds = 3;
    this.round = options.quick() ? new Schedule(400, 2, 400) : new Schedule(400, 2, 500);
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    List<String> known = new ArrayList<>(Contender.labels());
    known.add(WIRE);
    Options options = Options.parse(arguments, known);
    try (IterationBenchmark benchmark = new IterationBenchmark(options)) {
      benchmark.run();
    }
  }

  private void run() {
    start();
    boolean first = true;
    for (EntrySet entries : Grid.entrySets(options.quick())) {
      System.err.printf("content: %d x %d bytes%n", entries.count(), entries.valueBytes());
      load(entries, first);
      first = false;
      measureRounds(entries);
      if (!options.quick()) {
        measureRest(entries);
      }
      if (entries.count() == Grid.RATIO_ENTRIES && entries.valueBytes() == 100) {
        measureShares(entries); // last, because it loads other entries
      }
    }
    new IterationRatios(scores, results).draw();
    System.out.println(table());
    results.write(options.output());
    System.out.println(results.summary(KEYS));
  }

  private void start() {
    for (Contender contender : Contender.values()) {
      // Hazelcast appears in no ratio, so a quick run leaves it out unless it is asked for.
      boolean needed = !options.quick() || contender != Contender.HAZELCAST;
      if (options.includes(contender.label()) && (needed || !options.only().isEmpty())) {
        forks.put(contender, PeerFork.start(contender, DATA_NODES));
      }
    }
    if (options.includes(WIRE)) {
      wire = Fork.start(WIRE, "", WireLimit.class, List.of(), List.of());
    }
    forks.forEach((contender, fork) -> results.version(contender.label(), fork.started()));
  }

  private void load(EntrySet entries, boolean first) {
    for (PeerFork fork : forks.values()) {
      fork.load(entries.count(), entries.valueBytes());
      List<Mode> modes = fork.contender().modes();
      modes.stream()
          .filter(mode -> !options.quick() || mode.equals(modes.get(0)) || mode.exactlyOnce())
          .forEach(mode -> warmUp(fork, mode, first ? LONGEST_WARMUP_SECONDS : 2));
      String usual = modes.get(0).name();
      int restMillis = first ? 5000 : 1000;
      fork.iterate(Vantage.OWNER, usual, 0, 1, new Schedule(restMillis, 0, 0));
      fork.iterate(Vantage.BYSTANDER, usual, 0, Grid.THREADS, new Schedule(restMillis, 0, 0));
    }
    if (first) {
      limit(entries, 1, new Schedule(4000, 0, 0));
      limit(entries, Grid.THREADS, new Schedule(4000, 0, 0));
    }
  }

  /**
   * Walks until the rate no longer grows: on few cores the compiler's threads compete with the
   * measured ones, and a system with more code needs longer.
   */
  private static void warmUp(PeerFork fork, Mode mode, int atMostSeconds) {
    int batch = mode.batched() ? Grid.SAME_BATCH : 0;
    double best = 0;
    int secondsWithoutGrowth = 0;
    for (int i = 0; i < atMostSeconds && secondsWithoutGrowth < 4; i++) {
      Schedule second = new Schedule(0, 1, 1000);
      double rate = fork.iterate(Vantage.OWNER, mode.name(), batch, Grid.THREADS, second)[0];
      secondsWithoutGrowth = rate > best * 1.05 ? 0 : secondsWithoutGrowth + 1;
      best = Math.max(best, rate);
    }
  }

  private void measureRounds(EntrySet entries) {
    List<IterationCell> cells = new ArrayList<>(Grid.ratioCells(entries));
    List<IterationCell> remote = Grid.remoteCells(entries, options.quick());
    cells.addAll(remote);
    if (options.quick() && entries.count() == Grid.RATIO_ENTRIES) {
      // Asked for by name, and without a cell of its own in a ratio.
      Contender.HAZELCAST
          .modes()
          .forEach(
              mode ->
                  cells.add(
                      new IterationCell(
                          Contender.HAZELCAST, mode.name(), 0, Grid.THREADS, Vantage.OWNER)));
    }
    for (int i = 0; i < rounds; i++) {
      Collections.shuffle(cells, random);
      cells.forEach(cell -> measure(entries, cell, round));
      if (!remote.isEmpty()) {
        measureWire(entries, 1);
        measureWire(entries, Grid.THREADS);
      }
    }
  }

  private void measureRest(EntrySet entries) {
    List<IterationCell> cells = new ArrayList<>(Grid.allCells());
    cells.removeIf(cell -> scores.has(entries, cell));
    Collections.shuffle(cells, random);
    cells.forEach(cell -> measure(entries, cell, cell.isBursty() ? bursty : once));
  }

  private void measure(EntrySet entries, IterationCell cell, Schedule schedule) {
    PeerFork fork = forks.get(cell.system());
    if (fork == null) {
      return; // left out by --only
    }
    double[] rates =
        fork.iterate(cell.vantage(), cell.mode(), cell.batchEntries(), cell.threads(), schedule);
    scores.add(entries, cell, Samples.mean(rates));
    add("iterate", cell.system().label(), cell.parameters(entries), "entries/s", rates);
  }

  private void measureWire(EntrySet entries, int threads) {
    if (wire == null) {
      return; // left out by --only
    }
    double[] rates = limit(entries, threads, round);
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("threads", Integer.toString(threads));
    parameters.put("valueBytes", Integer.toString(entries.valueBytes()));
    parameters.put("entries", Integer.toString(entries.count()));
    add("wire-limit", WIRE, parameters, "entries/s", rates);
  }

  private double[] limit(EntrySet entries, int threads, Schedule schedule) {
    if (wire == null) {
      return new double[0]; // left out by --only
    }
    HarnessMessage command =
        HarnessMessage.of("limit")
            .with("entries", entries.count())
            .with("bytes", entries.valueBytes())
            .with("threads", threads);
    return wire.ask(schedule.addTo(command)).numbers("rates");
  }

  /** What concerns one system alone: delivery, allocation, and the time to the first entry. */
  private void measureShares(EntrySet entries) {
    measureDelivery(entries);
    measureHeld(entries);
    for (PeerFork fork : forks.values()) {
      // Thousands of walks to the end: too long for Hazelcast, and in a quick run for Infinispan.
      if (fork.contender() == Contender.HEADRACE
          || (fork.contender() == Contender.INFINISPAN && !options.quick())) {
        measureAllocation(fork);
        measureFirstEntry(fork);
      }
    }
  }

  private void measureHeld(EntrySet entries) {
    PeerFork fork = forks.get(Contender.HEADRACE);
    if (fork == null) {
      return; // left out by --only
    }
    for (Vantage vantage : Vantage.values()) {
      for (int batch : List.of(5, 64, 512, Grid.SAME_BATCH, 16_384, 32_768)) {
        for (int repetition = 0; repetition < 3; repetition++) {
          int held = fork.held(vantage, "default", batch);
          IterationCell cell = new IterationCell(Contender.HEADRACE, "default", batch, 1, vantage);
          add("held", "headrace", cell.parameters(entries), "entries", new double[] {held});
          results.raise("max_buffered_share", (double) held / batch);
        }
      }
    }
  }

  private void measureAllocation(PeerFork fork) {
    String mode = fork.contender().modes().get(0).name();
    for (Vantage vantage : Vantage.values()) {
      HarnessMessage measured = fork.allocate(vantage, mode, 0, 20);
      double decoded = measured.number("decodedBytesPerEntry");
      for (String which : List.of("bytesPerEntry", "allThreads", "decodedBytesPerEntry")) {
        Map<String, String> parameters = parameters(mode, vantage);
        parameters.put("which", which);
        double[] bytes = {measured.number(which)};
        add("allocate", fork.contender().label(), parameters, "bytes/entry", bytes);
      }
      if (fork.contender() == Contender.HEADRACE) { // no other lets its threads be told apart
        results.raise("alloc_share", measured.number("bytesPerEntry") / decoded);
        results.raise("alloc_share_all_nodes", measured.number("allThreads") / decoded);
      }
    }
  }

  private void measureFirstEntry(PeerFork fork) {
    String system = fork.contender().label();
    String mode = fork.contender().modes().get(0).name();
    fork.load(FIRST_ENTRIES, 100);
    for (Vantage vantage : Vantage.values()) {
      HarnessMessage first = fork.first(vantage, mode, FIRST_SAMPLES);
      Map<String, String> parameters = parameters(mode, vantage);
      parameters.put("entries", Integer.toString(FIRST_ENTRIES));
      parameters.put("valueBytes", "100");
      add("first-entry", system, parameters, "us", first.numbers("micros"));
      results.raise(system + "_first_entry_p50_ms", first.number("p50") / 1000);
      results.raise(system + "_first_entry_p99_ms", first.number("p99") / 1000);
      if (fork.contender() == Contender.HEADRACE) {
        results.raise("first_entry_p99_ms", first.number("p99") / 1000);
      }
    }
  }

  private static Map<String, String> parameters(String mode, Vantage vantage) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("mode", mode);
    parameters.put("vantage", vantage.label());
    return parameters;
  }

  /** Exactly once and at most once in turn, so that both meet the same moments of the machine. */
  private void measureDelivery(EntrySet entries) {
    PeerFork fork = forks.get(Contender.HEADRACE);
    if (fork == null) {
      return; // left out by --only
    }
    int turns = options.quick() ? 8 : 20;
    Schedule turn = new Schedule(200, 1, 600);
    double[] exactly = new double[turns];
    double[] atMost = new double[turns];
    for (int i = 0; i < turns; i++) {
      for (int half = 0; half < 2; half++) {
        boolean exactlyOnce = (i + half) % 2 == 0;
        String mode = exactlyOnce ? "default" : "no-rehash";
        double[] rate = fork.iterate(Vantage.OWNER, mode, 0, Grid.THREADS, turn);
        (exactlyOnce ? exactly : atMost)[i] = rate[0];
      }
    }
    IterationCell cell =
        new IterationCell(Contender.HEADRACE, "default", 0, Grid.THREADS, Vantage.OWNER);
    add("delivery-in-turn", "headrace", cell.parameters(entries), "entries/s", exactly);
    cell = new IterationCell(Contender.HEADRACE, "no-rehash", 0, Grid.THREADS, Vantage.OWNER);
    add("delivery-in-turn", "headrace", cell.parameters(entries), "entries/s", atMost);
    results.ratio("exactly_once_share", Scores.ratio(exactly, atMost));
  }

  private void add(
      String question,
      String system,
      Map<String, String> parameters,
      String unit,
      double[] samples) {
    List<Double> list = Arrays.stream(samples).boxed().toList();
    results.add(new Measurement(question, system, parameters, unit, list));
  }

  private String table() {
    return new IterationTable(results.measurements()).toString();
  }

  @Override
  public void close() {
    forks.values().forEach(PeerFork::close);
    if (wire != null) {
      wire.close();
    }
  }
}
