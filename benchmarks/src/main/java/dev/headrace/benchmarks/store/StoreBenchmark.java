package dev.headrace.benchmarks.store;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The referee of {@code benchmarks/run store}.
 *
 * <p>Both holders are loaded, scanned as loaded, read and compacted; then writes are measured, last
 * because they leave dead bytes behind. A rate is the median of its windows, a ratio the median
 * over the rounds of the ratio within one round.
 */
public final class StoreBenchmark implements AutoCloseable {

  private static final String STORE = "store";
  private static final String MAP = "map";
  private static final int ENTRIES = 1_000_000;
  private static final int VALUE_BYTES = 100;

  private final Options options;
  private final Results results;
  private final int rounds;
  private final int windows;
  private final int windowMillis;
  private final Map<String, Fork> forks = new LinkedHashMap<>();
  private final Map<String, List<Double>> scores = new HashMap<>();
  private final Set<String> questions = new LinkedHashSet<>();
  private final Table table = new Table(2, "question", "system", "median");

  private StoreBenchmark(Options options) {
    this.options = options;
    this.results = new Results("store", options.quick());
    this.rounds = options.quick() ? 4 : 5;
    this.windows = 3;
    this.windowMillis = options.quick() ? 300 : 500;
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    Options options = Options.parse(arguments, List.of(STORE, MAP));
    try (StoreBenchmark benchmark = new StoreBenchmark(options)) {
      benchmark.run();
    }
  }

  private void run() {
    for (String system : List.of(STORE, MAP)) {
      if (options.includes(system)) {
        forks.put(system, Fork.start(system, "", StoreWorker.class, List.of(), List.of(system)));
      }
    }
    load();
    measure("scan", "scan_loaded", "entries/s");
    measure("get", "get", "operations/s");
    forks.forEach((system, fork) -> fork.ask(HarnessMessage.of("compact")));
    measure("scan", "scan_compacted", "entries/s");
    measure("put", "put", "operations/s");
    draw();
    System.out.println(table);
    results.write(options.output());
    System.out.println(
        results.summary(
            List.of(
                "scan_loaded_million_per_s",
                "scan_compacted_million_per_s",
                "get_vs_map",
                "put_vs_map",
                "heap_overhead_bytes")));
  }

  private void load() {
    forks.forEach(
        (system, fork) -> {
          HarnessMessage held =
              fork.ask(
                  HarnessMessage.of("load").with("entries", ENTRIES).with("bytes", VALUE_BYTES));
          note("heap_overhead", system, "bytes/entry", overhead(held.number("held")));
          if (system.equals(STORE)) {
            double accounted = overhead(held.number("accounted"));
            note("accounted_overhead", system, "bytes/entry", accounted);
          }
        });
  }

  private static double overhead(double bytes) {
    return bytes / ENTRIES - Entries.KEY_CHARS - VALUE_BYTES;
  }

  /** Asks the forks in turn, round by round; the first round only warms up. */
  private void measure(String verb, String question, String unit) {
    HarnessMessage command =
        HarnessMessage.of(verb).with("windows", windows).with("window", windowMillis);
    forks.values().forEach(fork -> fork.ask(command));
    for (int round = 0; round < rounds; round++) {
      forks.forEach(
          (system, fork) -> note(question, system, unit, fork.ask(command).numbers("rates")));
    }
  }

  private void note(String question, String system, String unit, double... samples) {
    questions.add(question);
    scores
        .computeIfAbsent(question + " " + system, key -> new ArrayList<>())
        .add(Samples.median(samples));
    results.add(
        new Measurement(
            question,
            system,
            Map.of(
                "entries", Integer.toString(ENTRIES), "valueBytes", Integer.toString(VALUE_BYTES)),
            unit,
            Arrays.stream(samples).boxed().toList()));
  }

  private void draw() {
    for (String question : questions) {
      for (String system : forks.keySet()) {
        List<Double> rounds = scores(question, system);
        if (!rounds.isEmpty()) {
          table.row(question, system, String.format(Locale.ROOT, "%.1f", median(rounds)));
        }
      }
    }
    results.ratio("scan_loaded_million_per_s", median(scores("scan_loaded", STORE)) / 1e6);
    results.ratio("scan_compacted_million_per_s", median(scores("scan_compacted", STORE)) / 1e6);
    results.ratio("get_vs_map", ratio("get"));
    results.ratio("put_vs_map", ratio("put"));
    results.ratio("scan_vs_map", ratio("scan_loaded"));
    results.ratio("heap_overhead_bytes", median(scores("heap_overhead", STORE)));
    results.ratio("heap_overhead_bytes_map", median(scores("heap_overhead", MAP)));
  }

  private List<Double> scores(String question, String system) {
    return scores.getOrDefault(question + " " + system, List.of());
  }

  private double ratio(String question) {
    List<Double> ours = scores(question, STORE);
    List<Double> theirs = scores(question, MAP);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(ours.size(), theirs.size()); round++) {
      ratios.add(ours.get(round) / theirs.get(round));
    }
    return median(ratios);
  }

  /** NaN, which is reported as not measured, if there is nothing. */
  private static double median(List<Double> values) {
    return values.isEmpty()
        ? Double.NaN
        : Samples.median(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  @Override
  public void close() {
    forks.values().forEach(Fork::close);
  }
}
