package dev.headrace.benchmarks.repair;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code benchmarks/run repair}: the rate of hashing from JMH, the bytes of messages counted in
 * this process.
 */
public final class RepairComparison {
  private static final String HEADRACE = "headrace";
  private static final int ENTRIES = 500_000;
  private static final int VALUE_BYTES = 100;
  private static final int EQUAL_SEGMENTS = 1_000;
  private static final int EQUAL_ENTRIES = 100_000;
  private static final int SEGMENT_ENTRIES = 100_000;

  private final Options options;
  private final Results results;
  private final Table table = new Table(2, "question", "unit", "median");

  private RepairComparison(Options options) {
    this.options = options;
    this.results = new Results("repair", options.quick());
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new RepairComparison(Options.parse(arguments, List.of(HEADRACE))).run();
  }

  private void run() {
    measureHashing();
    measureTraffic();
    System.out.println(table);
    results.end(
        options.output(),
        List.of(
            "hash_loaded_million_per_s",
            "hash_compacted_million_per_s",
            "hash_compacted_gb_per_s",
            "equal_bytes_per_segment",
            "one_difference_bytes"));
  }

  private void measureHashing() {
    JmhSchedule schedule =
        options.quick() ? new JmhSchedule(3, 300, 5, 300) : new JmhSchedule(3, 1000, 5, 1000);
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.measure(options.rounds(), List.of(cell(false), cell(true)), cell -> schedule);
      double loaded = rate(rounds, cell(false), "hash_loaded");
      double compacted = rate(rounds, cell(true), "hash_compacted");
      double bytesPerEntry = (double) bytes() / ENTRIES;
      results.ratio("hash_loaded_million_per_s", loaded / 1e6);
      results.ratio("hash_compacted_million_per_s", compacted / 1e6);
      results.ratio("hash_compacted_gb_per_s", compacted * bytesPerEntry / 1e9);
      rounds.write(options.jmhOutput());
    }
  }

  private static long bytes() {
    return new HashedStore(new Entries(ENTRIES, VALUE_BYTES)).bytes();
  }

  private static JmhCell cell(boolean compacted) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("compacted", Boolean.toString(compacted));
    parameters.put("entries", Integer.toString(ENTRIES));
    parameters.put("valueBytes", Integer.toString(VALUE_BYTES));
    return new JmhCell(RepairBenchmark.class, "hash", 1, parameters);
  }

  private double rate(JmhRounds rounds, JmhCell cell, String question) {
    double[] rates = rounds.scores(cell);
    Arrays.setAll(rates, i -> rates[i] * ENTRIES);
    return note(question, "entries/s", rates);
  }

  private void measureTraffic() {
    Pair equal = new Pair(EQUAL_SEGMENTS);
    load(equal, EQUAL_ENTRIES);
    results.ratio(
        "equal_bytes_per_segment",
        note("compare_equal_segments", "bytes", (double) equal.repair(0)) / EQUAL_SEGMENTS);
    Pair one = new Pair(1);
    Entries entries = load(one, SEGMENT_ENTRIES);
    double compared = note("compare_large_segment", "bytes", (double) one.repair(0));
    one.damage(key(entries, SEGMENT_ENTRIES / 2));
    double repaired = note("repair_one_entry", "bytes", (double) one.repair(1));
    results.ratio("compare_large_segment_bytes", compared);
    results.ratio("one_difference_bytes", repaired - compared);
  }

  private static Entries load(Pair pair, int count) {
    Entries entries = new Entries(count, VALUE_BYTES);
    for (int i = 0; i < count; i++) {
      pair.put(key(entries, i), entries.value(i));
    }
    return entries;
  }

  private static byte[] key(Entries entries, int index) {
    return entries.key(index).getBytes(StandardCharsets.ISO_8859_1);
  }

  private double note(String question, String unit, double... samples) {
    if (samples.length == 0) {
      return Double.NaN; // every fork failed
    }
    Map<String, String> parameters = Map.of("valueBytes", Integer.toString(VALUE_BYTES));
    results.add(question, HEADRACE, parameters, unit, samples);
    double median = Samples.median(samples);
    table.row(question, unit, String.format(Locale.ROOT, "%,.0f", median));
    return median;
  }
}
