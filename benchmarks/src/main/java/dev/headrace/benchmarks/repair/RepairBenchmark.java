package dev.headrace.benchmarks.repair;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The whole of {@code benchmarks/run repair}: one process, one thread. */
public final class RepairBenchmark {
  private static final String HEADRACE = "headrace";
  private static final int ENTRIES = 500_000;
  private static final int VALUE_BYTES = 100;
  private static final int WARM_UP_WINDOWS = 3;
  private static final int EQUAL_SEGMENTS = 1_000;
  private static final int EQUAL_ENTRIES = 100_000;
  private static final int SEGMENT_ENTRIES = 100_000;

  private final Options options;
  private final Results results;
  private final int windows;
  private final long windowNanos;
  private final Table table = new Table(2, "question", "unit", "median");

  private RepairBenchmark(Options options) {
    this.options = options;
    this.results = new Results("repair", options.quick());
    this.windows = options.quick() ? 5 : 15;
    this.windowNanos = options.quick() ? 300_000_000L : 1_000_000_000L;
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new RepairBenchmark(Options.parse(arguments, List.of(HEADRACE))).run();
  }

  private void run() {
    measureHashing();
    measureTraffic();
    System.out.println(table);
    results.write(options.output());
    System.out.println(
        results.summary(
            List.of(
                "hash_loaded_million_per_s",
                "hash_compacted_million_per_s",
                "hash_compacted_gb_per_s",
                "equal_bytes_per_segment",
                "one_difference_bytes")));
  }

  private void measureHashing() {
    HashedStore store = new HashedStore(new Entries(ENTRIES, VALUE_BYTES));
    double loaded = rate(store, "hash_loaded");
    store.compact();
    double compacted = rate(store, "hash_compacted");
    results.ratio("hash_loaded_million_per_s", loaded / 1e6);
    results.ratio("hash_compacted_million_per_s", compacted / 1e6);
    results.ratio("hash_compacted_gb_per_s", compacted * store.bytes() / ENTRIES / 1e9);
  }

  private double rate(HashedStore store, String question) {
    double[] rates = new double[WARM_UP_WINDOWS + windows];
    Arrays.setAll(rates, i -> rate(store));
    return note(question, "entries/s", Arrays.copyOfRange(rates, WARM_UP_WINDOWS, rates.length));
  }

  private double rate(HashedStore store) {
    long begin = System.nanoTime();
    long hashed = 0;
    long nanos;
    do {
      long entries = store.hash();
      if (entries != ENTRIES) {
        throw new IllegalStateException("hashed " + entries + " of " + ENTRIES + " entries");
      }
      hashed += entries;
      nanos = System.nanoTime() - begin;
    } while (nanos < windowNanos);
    return hashed * 1e9 / nanos;
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
    results.add(
        new Measurement(
            question,
            HEADRACE,
            Map.of("valueBytes", Integer.toString(VALUE_BYTES)),
            unit,
            Arrays.stream(samples).boxed().toList()));
    double median = Samples.median(samples);
    table.row(question, unit, String.format(Locale.ROOT, "%,.0f", median));
    return median;
  }
}
