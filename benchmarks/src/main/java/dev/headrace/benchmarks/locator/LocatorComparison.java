package dev.headrace.benchmarks.locator;

import dev.headrace.benchmarks.bulk.BulkCalls;
import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;

/**
 * {@code benchmarks/run locator}: plans the rounds, reads JMH's scores, draws the ratios, and
 * counts what is no rate.
 *
 * <p>A ratio is the median over the rounds of the ratio within one round.
 */
public final class LocatorComparison {

  private static final List<Integer> NODES = List.of(10, 120);
  private static final List<Integer> TAILS = List.of(0, 50);
  private static final int KEYS_PER_OPERATION = 2000;
  private static final String BYTES_PER_OPERATION = "gc.alloc.rate.norm";

  /** The profiler counts the whole fork; what JMH itself allocates is less than this per key. */
  private static final double NOTHING = 0.1;

  private final Options options;
  private final Results results;
  private final Table table =
      new Table(1, "system", "nodes", "tail", "ns/key", "bytes/key", "times legacy");

  private LocatorComparison(Options options) {
    this.options = options;
    this.results = new Results("locator", options.quick());
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new LocatorComparison(Options.parse(arguments, Subject.names())).run();
  }

  private void run() {
    results.version(Subject.LEGACY, EvcacheLocator.version());
    List<LocatorCell> cells = cells();
    JmhSchedule schedule =
        options.quick() ? new JmhSchedule(3, 250, 3, 200) : new JmhSchedule(5, 500, 3, 500);
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.profile(GCProfiler.class);
      List<JmhCell> jmh = cells.stream().map(LocatorCell::jmh).toList();
      rounds.measure(options.rounds(), jmh, cell -> schedule);
      cells.forEach(cell -> report(rounds, cell));
      System.out.println(table);
      new LocatorQuality(results).run(options.quick());
      BulkCalls.measure(results, rounds, options);
      rounds.write(options.jmhOutput());
    }
    results.end(
        options.output(),
        List.of(
            "ketama_md5",
            "murmur3_direct_share_of_seed",
            "segment_table_tail0",
            "segment_table_tail50",
            "bytes_per_lookup",
            "hashed_lookup_ns",
            "balance",
            "moved_over_bound"));
  }

  /** EVCache's locator and what stands beside it; in a quick run only what the figures need. */
  private List<LocatorCell> cells() {
    List<String> systems = new ArrayList<>();
    if (options.quick()) {
      systems.addAll(Subject.ring(RingAlgorithm.KETAMA_MD5));
      systems.addAll(List.of("ketama-murmur3/direct", "segment-table", Subject.HASHED));
    } else {
      systems.addAll(Subject.names());
      systems.remove(Subject.LEGACY);
    }
    systems.removeIf(system -> !options.includes(system));
    systems.add(0, Subject.LEGACY);
    List<LocatorCell> cells = new ArrayList<>();
    for (int tail : TAILS) {
      for (int nodes : NODES) {
        systems.forEach(system -> cells.add(new LocatorCell(system, nodes, tail)));
      }
    }
    return cells;
  }

  private void report(JmhRounds rounds, LocatorCell cell) {
    double[] operations = rounds.scores(cell.jmh());
    if (operations.length == 0) {
      return; // every fork failed
    }
    double[] nanos =
        Arrays.stream(operations).map(rate -> 1e9 / (rate * KEYS_PER_OPERATION)).toArray();
    double[] allocated = rounds.secondary(cell.jmh(), BYTES_PER_OPERATION);
    double bytes = allocated.length == 0 ? Double.NaN : Samples.median(allocated);
    double bytesPerKey = bytes / KEYS_PER_OPERATION;
    bytesPerKey = bytesPerKey < NOTHING ? 0 : bytesPerKey;
    LocatorCell legacy = new LocatorCell(Subject.LEGACY, cell.nodes(), cell.tail());
    double ratio = rounds.ratio(cell.jmh(), legacy.jmh());
    double median = Samples.median(nanos);
    results.add("look-up", cell.system(), cell.parameters(), "ns", nanos);
    results.add("bytes", cell.system(), cell.parameters(), "B", bytesPerKey);
    table.row(
        cell.system(),
        cell.nodes(),
        cell.tail(),
        decimal(median),
        decimal(bytesPerKey),
        String.format(Locale.ROOT, "%.2f", ratio));
    if (!cell.system().equals(Subject.LEGACY)) {
      results.ratio(cell.key(), ratio);
      results.raise("bytes_per_lookup", bytesPerKey);
      draw(cell, ratio, median);
    }
  }

  /** The figures of the last line: the worst of all cells. */
  private void draw(LocatorCell cell, double ratio, double nanos) {
    if (cell.system().startsWith(RingAlgorithm.KETAMA_MD5 + "/")) {
      results.lower("ketama_md5", ratio);
    } else if (cell.system().equals("ketama-murmur3/direct")) {
      results.lower("murmur3_direct_share_of_seed", ratio / cell.seedMurmur3Direct());
    } else if (cell.system().equals("segment-table")) {
      results.lower("segment_table_tail" + cell.tail(), ratio);
    } else if (cell.system().equals(Subject.HASHED)) {
      results.raise("hashed_lookup_ns", nanos);
    }
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
