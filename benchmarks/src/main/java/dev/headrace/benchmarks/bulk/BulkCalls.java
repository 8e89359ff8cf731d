package dev.headrace.benchmarks.bulk;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Bulk methods over {@value #KEYS} keys, beside an operation per key, from JMH's average times.
 *
 * <p>A figure is the median over the rounds.
 */
public final class BulkCalls {
  private static final String HEADRACE = "headrace";
  private static final int KEYS = 2000;
  private static final String BYTES_PER_CALL = "gc.alloc.rate.norm";
  private static final List<String> METHODS = List.of("gets", "getAll", "puts", "putAll");

  private final Results results;
  private final JmhRounds rounds;
  private final Table table =
      new Table(2, "method", "from", "us per call", "ns per key", "bytes allocated per key");

  private BulkCalls(Results results, JmhRounds rounds) {
    this.results = results;
    this.rounds = rounds;
  }

  /**
   * Measures everything, adds it to the results and prints a table.
   *
   * @param rounds which profile allocation
   */
  public static void measure(Results results, JmhRounds rounds, Options options) {
    List<JmhCell> cells = new ArrayList<>();
    for (String from : BulkCluster.VANTAGES) {
      METHODS.forEach(method -> cells.add(cell(method, from)));
    }
    JmhSchedule schedule =
        options.quick() ? new JmhSchedule(2, 1000, 2, 1000) : new JmhSchedule(5, 1000, 5, 1000);
    rounds.measure(options.rounds(), cells, cell -> schedule);
    new BulkCalls(results, rounds).report();
  }

  private static JmhCell cell(String method, String from) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("from", from);
    parameters.put("keys", Integer.toString(KEYS));
    return new JmhCell(BulkBenchmark.class, method, 1, parameters);
  }

  private void report() {
    for (String from : BulkCluster.VANTAGES) {
      METHODS.forEach(method -> note(method, from));
      // Of times, not rates: the ratio is that of the slower way over the bulk method.
      results.ratio(
          "get_all_vs_gets_from_" + from, rounds.ratio(cell("gets", from), cell("getAll", from)));
      results.ratio(
          "put_all_vs_puts_from_" + from, rounds.ratio(cell("puts", from), cell("putAll", from)));
    }
    System.out.println(table);
  }

  private void note(String method, String from) {
    JmhCell cell = cell(method, from);
    double[] micros = rounds.scores(cell);
    double[] bytes = rounds.secondary(cell, BYTES_PER_CALL);
    java.util.Arrays.setAll(bytes, i -> bytes[i] / KEYS);
    results.add(method, HEADRACE, cell.parameters(), "us", micros);
    results.add(method, HEADRACE, cell.parameters(), "bytes/key", bytes);
    if (micros.length > 0 && bytes.length > 0) {
      double call = Samples.median(micros);
      table.row(
          method,
          from,
          String.format(Locale.ROOT, "%.0f", call),
          String.format(Locale.ROOT, "%.0f", call * 1000 / KEYS),
          String.format(Locale.ROOT, "%.0f", Samples.median(bytes)));
    }
  }
}
