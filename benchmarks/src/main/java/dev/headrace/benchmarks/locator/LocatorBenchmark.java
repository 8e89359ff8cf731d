package dev.headrace.benchmarks.locator;

import dev.headrace.benchmarks.bulk.BulkCalls;
import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The referee of {@code benchmarks/run locator}.
 *
 * <p>For each number of nodes and length of tail, groups of subjects run beside EVCache's locator.
 * A ratio is the median over the rounds of the ratio within one round.
 */
public final class LocatorBenchmark {

  private static final List<Integer> NODES = List.of(10, 120);
  private static final List<Integer> TAILS = List.of(0, 50);

  private final Options options;
  private final Results results;
  private final int rounds;
  private final int windowMillis;
  private final Table table =
      new Table(1, "system", "nodes", "tail", "ns/key", "bytes/key", "times legacy");

  private LocatorBenchmark(Options options) {
    this.options = options;
    this.results = new Results("locator", options.quick());
    this.rounds = options.quick() ? 5 : 9;
    this.windowMillis = options.quick() ? 60 : 120;
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new LocatorBenchmark(Options.parse(arguments, Subject.names())).run();
  }

  private void run() {
    results.version(Subject.LEGACY, EvcacheLocator.version());
    for (int tail : TAILS) {
      for (int nodes : NODES) {
        groups().forEach(group -> measure(group, nodes, tail));
      }
    }
    System.out.println(table);
    new LocatorQuality(results).run(options.quick());
    BulkCalls.measure(results, options.quick());
    results.write(options.output());
    System.out.println(
        results.summary(
            List.of(
                "ketama_md5",
                "murmur3_direct_share_of_seed",
                "segment_table_tail0",
                "segment_table_tail50",
                "bytes_per_lookup",
                "hashed_lookup_ns",
                "balance",
                "moved_over_bound")));
  }

  /** What runs side by side. In a quick run only what the figures need. */
  private List<List<String>> groups() {
    List<List<String>> groups = new ArrayList<>();
    if (options.quick()) {
      List<String> group = new ArrayList<>(Subject.ring(RingAlgorithm.KETAMA_MD5));
      group.addAll(List.of("ketama-murmur3/direct", "segment-table", Subject.HASHED));
      groups.add(group);
    } else {
      for (RingAlgorithm algorithm : RingAlgorithm.values()) {
        groups.add(Subject.ring(algorithm));
      }
      List<String> better = new ArrayList<>(Subject.better());
      better.add(Subject.HASHED);
      groups.add(better);
    }
    return groups.stream()
        .map(group -> group.stream().filter(options::includes).toList())
        .filter(group -> !group.isEmpty())
        .toList();
  }

  private void measure(List<String> group, int nodes, int tail) {
    Map<String, Fork> forks = new LinkedHashMap<>();
    try {
      List<String> systems = new ArrayList<>(List.of(Subject.LEGACY));
      systems.addAll(group);
      for (String system : systems) {
        forks.put(system, fork(system, nodes, tail));
      }
      HarnessMessage warmUp = HarnessMessage.of("measure").with("windows", 1).with("window", 1000);
      forks.values().forEach(fork -> fork.ask(warmUp));
      Map<String, List<Double>> nanos = new LinkedHashMap<>();
      Map<String, List<Double>> bytes = new LinkedHashMap<>();
      HarnessMessage command =
          HarnessMessage.of("measure").with("windows", 1).with("window", windowMillis);
      for (int round = 0; round < rounds; round++) {
        forks.forEach(
            (system, fork) -> {
              HarnessMessage reply = fork.ask(command);
              add(nanos, system, reply.numbers("nanos")[0]);
              add(bytes, system, reply.numbers("bytes")[0]);
            });
      }
      systems.forEach(
          system ->
              report(
                  new LocatorCell(system, nodes, tail),
                  samples(nanos, system),
                  samples(nanos, Subject.LEGACY),
                  median(samples(bytes, system))));
    } finally {
      forks.values().forEach(Fork::close);
    }
  }

  private static Fork fork(String system, int nodes, int tail) {
    return Fork.start(
        "locator-" + system.replace('/', '-'),
        "",
        LocatorWorker.class,
        List.of(),
        List.of(system, Integer.toString(nodes), Integer.toString(tail)));
  }

  private static void add(Map<String, List<Double>> samples, String system, double sample) {
    samples.computeIfAbsent(system, name -> new ArrayList<>()).add(sample);
  }

  private static List<Double> samples(Map<String, List<Double>> samples, String system) {
    return samples.getOrDefault(system, List.of());
  }

  private void report(LocatorCell cell, List<Double> ours, List<Double> theirs, double bytes) {
    double[] ratios = new double[ours.size()];
    Arrays.setAll(ratios, round -> theirs.get(round) / ours.get(round));
    double ratio = Samples.median(ratios);
    double median = median(ours);
    results.add(new Measurement("look-up", cell.system(), cell.parameters(), "ns", ours));
    results.add(new Measurement("bytes", cell.system(), cell.parameters(), "B", List.of(bytes)));
    table.row(
        cell.system(),
        cell.nodes(),
        cell.tail(),
        decimal(median),
        decimal(bytes),
        String.format(Locale.ROOT, "%.2f", ratio));
    if (!cell.system().equals(Subject.LEGACY)) {
      results.ratio(cell.key(), ratio);
      results.raise("bytes_per_lookup", bytes);
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

  private static double median(List<Double> samples) {
    return Samples.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
