package dev.headrace.benchmarks.bulk;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Bulk methods over {@value #KEYS} keys, beside an operation per key, in one process.
 *
 * <p>All cells are measured in several rounds, one after the other, so that what the machine does
 * besides meets them all; a figure is the median over the rounds.
 */
public final class BulkCalls {
  private static final String HEADRACE = "headrace";

  /** The keys of one call. */
  static final int KEYS = 2000;

  private static final int DATA_NODES = 6;
  private static final int WARM_UP_ROUNDS = 3;

  private final Results results;
  private final int rounds;
  private final long windowNanos;
  private final Table table =
      new Table(2, "method", "from", "us per call", "ns per key", "bytes allocated per key");

  private BulkCalls(Results results, boolean quick) {
    this.results = results;
    this.rounds = quick ? 5 : 15;
    this.windowNanos = quick ? 300_000_000L : 500_000_000L;
  }

  /**
   * Measures everything, adds it to the results and prints a table; half a minute if it is quick.
   */
  public static void measure(Results results, boolean quick) {
    BulkCalls benchmark = new BulkCalls(results, quick);
    try (BulkCluster cluster = new BulkCluster(DATA_NODES, KEYS)) {
      benchmark.run(cluster);
      System.out.println(benchmark.table);
    }
  }

  private void run(BulkCluster cluster) {
    Map<String, List<Window>> cells = new LinkedHashMap<>();
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (String from : BulkCluster.VANTAGES) {
        for (String method : BulkCluster.METHODS) {
          Window window = Window.measure(windowNanos, () -> cluster.call(method, from));
          if (round >= 0) {
            cells.computeIfAbsent(method + " " + from, cell -> new ArrayList<>()).add(window);
          }
        }
      }
    }
    for (String from : BulkCluster.VANTAGES) {
      for (String method : BulkCluster.METHODS) {
        note(method, from, cells.getOrDefault(method + " " + from, List.of()));
      }
      ratio("get_all_vs_gets_from_" + from, cells, "getAll " + from, "gets " + from);
      ratio("put_all_vs_puts_from_" + from, cells, "putAll " + from, "puts " + from);
    }
  }

  private void note(String method, String from, List<Window> windows) {
    List<Double> micros = windows.stream().map(Window::microsPerCall).toList();
    List<Double> bytes = windows.stream().map(window -> window.bytesPerCall() / KEYS).toList();
    Map<String, String> parameters = Map.of("from", from, "keys", Integer.toString(KEYS));
    results.add(new Measurement(method, HEADRACE, parameters, "us", micros));
    results.add(new Measurement(method, HEADRACE, parameters, "bytes/key", bytes));
    double call = median(micros);
    table.row(
        method,
        from,
        String.format(Locale.ROOT, "%.0f", call),
        String.format(Locale.ROOT, "%.0f", call * 1000 / KEYS),
        String.format(Locale.ROOT, "%.0f", median(bytes)));
  }

  /** How many times as fast one method is as another, the median of the rounds. */
  private void ratio(String name, Map<String, List<Window>> cells, String cell, String other) {
    List<Window> ours = cells.getOrDefault(cell, List.of());
    List<Window> theirs = cells.getOrDefault(other, List.of());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < ours.size(); round++) {
      ratios.add(theirs.get(round).microsPerCall() / ours.get(round).microsPerCall());
    }
    results.ratio(name, median(ratios));
  }

  private static double median(List<Double> samples) {
    return Samples.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
