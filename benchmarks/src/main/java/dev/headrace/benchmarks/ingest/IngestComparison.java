package dev.headrace.benchmarks.ingest;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Partitioners for records without keys, in the conditions of KIP-480 (64 destinations, 512-byte
 * records, batches of 16 KiB, bursts of 100 ms) and of KIP-794 (one of three nodes slowed by 20 ms,
 * 2,048 records/s), a source that is faster than the cluster, and bulk loading beside peers, each
 * in all the ways that it has.
 */
public final class IngestComparison {
  private static final String HEADRACE = "headrace";
  private static final int BATCH_BYTES = 16 << 10;
  private static final int BURST_MILLIS = 100;
  private static final int LOADED_BYTES = 100;
  private static final int SINK_BYTES = 16 << 20;
  private static final int SLOW_MILLIS = 20;
  private static final int SLOW_RATE = 2_048;
  private static final int SLOW_BURST_MILLIS = 10;
  private static final int CPU_RATE = 10_000;

  private static final int SECONDS = 12;

  /** Processor time differs from turn to turn by more than between partitioners. */
  private static final int BUSY_TURNS = 8;

  private static final int QUICK_SECONDS = 5;

  /**
   * How long a trial lasts whose 99th percentile is a matter of milliseconds: of 120 bursts it
   * would be the second worst, and one compilation decides that.
   */
  private static final int LONG_SECONDS = 50;

  /** A hundred records a second would keep the compilers busy for minutes. */
  private static final int WARM_UP_RATE = 10_000;

  private static final List<String> PARTITIONERS =
      List.of("round-robin", "sticky", "uniform-sticky", "adaptive-sticky");
  private static final List<Contender> LOADERS =
      List.of(Contender.HEADRACE, Contender.INFINISPAN, Contender.HAZELCAST, Contender.REDIS);

  private final Options options;
  private final Results results;
  private final Table table =
      new Table(
          1,
          "destinations",
          "linger",
          "rate",
          "slow",
          "partitioner",
          "mean",
          "p99",
          "p99.9",
          "CPU us",
          "batches",
          "fill");
  private final Table loads = new Table(2, "system", "way", "chunk", "entries/s");
  private final Table bounds =
      new Table(0, "setting", "most held", "heap early", "heap at the end", "records/s");

  /** How often a case is tried, and for how long. */
  private record Trials(int count, int seconds) {}

  /** Conditions of a trial. */
  private record Case(int segments, int lingerMillis, int rate, int slowMillis) {}

  /** What the trials of one partitioner have shown. */
  private record Shown(HarnessMessage outcome, String partitioner) {
    double[] each(String figure) {
      return outcome.numbers(partitioner + "." + figure);
    }

    double median(String figure) {
      return Samples.median(each(figure));
    }
  }

  private IngestComparison(Options options) {
    this.options = options;
    this.results = new Results("ingest", options.quick());
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new IngestComparison(Options.parse(arguments, Contender.labels(LOADERS))).run();
  }

  private void run() {
    Participants participants = new Participants(LOADERS, options, results);
    if (participants.includes(Contender.HEADRACE)) {
      appendAll();
      loadWithoutEnd();
    }
    System.out.println(table);
    System.out.println(bounds);
    results.write(options.output()); // what follows takes long, and may fail
    loadAll(participants);
    System.out.println(loads);
    results.end(
        options.output(),
        List.of(
            "sticky_p99_linger1000",
            "sticky_p99_linger0",
            "sticky_cpu",
            "slow_node_p99",
            "slow_node_throughput",
            "bulk_vs_best_peer"));
  }

  /** A JVM whose heap is touched before: a page that is touched first can take 10 us. */
  private Fork start(String name) {
    List<String> arguments = List.of("-XX:+AlwaysPreTouch", WarmUp.limit(options.quick()));
    return Fork.start(name, IngestWorker.class, arguments, List.of());
  }

  // ---- Partitioners

  private void appendAll() {
    Case lingering = new Case(64, 1_000, 1_000, 0);
    Case prompt = new Case(64, 0, 1_000, 0);
    Case busy = new Case(64, 0, CPU_RATE, 0);
    Map<Case, Map<String, Shown>> outcomes = new LinkedHashMap<>();
    List<Case> needed = List.of(lingering, prompt, busy);
    List<String> some = options.quick() ? List.of("round-robin", "adaptive-sticky") : PARTITIONERS;
    for (Case one : cases(needed)) {
      int rounds = !needed.contains(one) ? 1 : one.equals(busy) ? BUSY_TURNS : options.rounds();
      int seconds = one.equals(prompt) ? LONG_SECONDS : SECONDS;
      outcomes.put(one, append(one, some, trials(rounds, seconds)));
    }
    results.ratio("sticky_p99_linger1000", overRoundRobin(outcomes, lingering, "p99"));
    results.ratio("sticky_p99_linger0", overRoundRobin(outcomes, prompt, "p99"));
    results.ratio("sticky_cpu", overRoundRobin(outcomes, busy, "cpu"));
    appendWithSlowNode();
  }

  private Trials trials(int count, int seconds) {
    return options.quick() ? new Trials(1, QUICK_SECONDS) : new Trials(count, seconds);
  }

  private List<Case> cases(List<Case> needed) {
    List<Case> cases = new ArrayList<>(needed);
    if (!options.quick()) {
      for (int segments : new int[] {64, 16}) {
        for (int linger : new int[] {0, 1_000}) {
          for (int rate : new int[] {100, 1_000, 10_000}) {
            Case one = new Case(segments, linger, rate, 0);
            if (!cases.contains(one)) {
              cases.add(one);
            }
          }
        }
      }
    }
    return cases;
  }

  private static double overRoundRobin(
      Map<Case, Map<String, Shown>> outcomes, Case one, String figure) {
    Map<String, Shown> byPartitioner = outcomes.getOrDefault(one, Map.of());
    return median(byPartitioner, "adaptive-sticky", figure)
        / median(byPartitioner, "round-robin", figure);
  }

  /** The median over the trials; NaN if there was none. */
  private static double median(
      Map<String, Shown> byPartitioner, String partitioner, String figure) {
    Shown shown = byPartitioner.get(partitioner);
    return shown == null ? Double.NaN : shown.median(figure);
  }

  private void appendWithSlowNode() {
    Case slow = new Case(3, 0, SLOW_RATE, SLOW_MILLIS);
    List<String> some =
        options.quick()
            ? List.of("sticky", "adaptive-sticky-5ms")
            : List.of("sticky", "uniform-sticky", "adaptive-sticky", "adaptive-sticky-5ms");
    Map<String, Shown> byPartitioner = append(slow, some, trials(options.rounds(), SECONDS));
    String best = "adaptive-sticky-5ms";
    results.ratio(
        "slow_node_p99",
        median(byPartitioner, best, "p99") / median(byPartitioner, "sticky", "p99"));
    results.ratio("slow_node_throughput", median(byPartitioner, best, "throughput"));
  }

  /** Lets partitioners take turns in one cluster, whose JVM has compiled the same for all. */
  private Map<String, Shown> append(Case one, List<String> partitioners, Trials trials) {
    HarnessMessage command =
        HarnessMessage.of("append")
            .with("segments", one.segments())
            .with("owners", one.slowMillis() > 0 ? 1 : 2)
            .with("slow", one.slowMillis())
            .with("batch", BATCH_BYTES)
            .with("linger", one.lingerMillis())
            .with("rate", one.rate())
            .with("burst", one.slowMillis() > 0 ? SLOW_BURST_MILLIS : BURST_MILLIS)
            .with("warmUpRate", one.slowMillis() > 0 ? one.rate() : WARM_UP_RATE)
            .with("seconds", trials.seconds())
            .with("trials", trials.count());
    Map<String, Shown> byPartitioner = new LinkedHashMap<>();
    try (Fork fork = start("append")) {
      HarnessMessage outcome =
          fork.ask(command.with("partitioners", String.join(",", partitioners)));
      for (String partitioner : partitioners) {
        Shown shown = new Shown(outcome, partitioner);
        byPartitioner.put(partitioner, shown);
        Map<String, String> parameters = new LinkedHashMap<>(command.fields());
        parameters.put("partitioner", partitioner);
        for (String figure : List.of("mean", "p50", "p99", "p999")) {
          results.add("append_" + figure, HEADRACE, parameters, "ms", shown.each(figure));
        }
        results.add("append_cpu", HEADRACE, parameters, "us/record", shown.each("cpu"));
        results.add("append_batches", HEADRACE, parameters, "batches", shown.each("batches"));
        results.add("append_fill", HEADRACE, parameters, "of a batch", shown.each("fill"));
        row(one, partitioner, shown);
      }
    }
    return byPartitioner;
  }

  private void row(Case one, String partitioner, Shown shown) {
    table.row(
        one.segments(),
        one.lingerMillis(),
        one.rate(),
        one.slowMillis(),
        partitioner,
        rounded(shown.median("mean")),
        rounded(shown.median("p99")),
        rounded(shown.median("p999")),
        rounded(shown.median("cpu")),
        String.format(Locale.ROOT, "%.0f", shown.median("batches")),
        rounded(shown.median("fill")));
  }

  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.2f", number);
  }

  // ---- Memory

  /** A source that is faster than the cluster: what the sink holds, and what the heap does. */
  private void loadWithoutEnd() {
    int seconds = options.quick() ? 10 : 120;
    HarnessMessage command =
        HarnessMessage.of("bounded").with("memory", SINK_BYTES).with("seconds", seconds);
    try (Fork fork = start("bounded")) {
      HarnessMessage outcome = fork.ask(command);
      Map<String, String> parameters = command.fields();
      for (String figure : List.of("held", "early", "late")) {
        results.add("bounded_" + figure, HEADRACE, parameters, "bytes", outcome.number(figure));
      }
      double rate = outcome.number("records") / seconds;
      results.add("bounded_rate", HEADRACE, parameters, "records/s", rate);
      results.ratio("bounded_held_vs_setting", outcome.number("held") / SINK_BYTES);
      bounds.row(
          SINK_BYTES,
          outcome.text("held"),
          outcome.text("early"),
          outcome.text("late"),
          String.format(Locale.ROOT, "%,.0f", rate));
    }
  }

  // ---- Loads

  private void loadAll(Participants participants) {
    int entries = options.quick() ? 100_000 : 1_000_000;
    List<Integer> chunks = options.quick() ? List.of(10_000) : List.of(1_000, 10_000);
    Map<Contender, Double> best = new LinkedHashMap<>();
    for (Contender contender : LOADERS) {
      for (int chunk : participants.includes(contender) ? chunks : List.<Integer>of()) {
        best.merge(contender, load(contender, entries, chunk), Math::max);
      }
    }
    double ofPeers =
        best.entrySet().stream()
            .filter(rate -> rate.getKey() != Contender.HEADRACE)
            .mapToDouble(Map.Entry::getValue)
            .max()
            .orElse(Double.NaN);
    double own = best.getOrDefault(Contender.HEADRACE, Double.NaN);
    results.ratio("bulk_vs_best_peer", own / ofPeers);
  }

  /** The median of the fastest way. Each way has a JVM of its own. */
  private double load(Contender contender, int entries, int chunk) {
    double best = Double.NaN;
    int ways = 1; // the first tells how many there are
    for (int way = 0; way < ways; way++) {
      HarnessMessage command =
          HarnessMessage.of("load")
              .with("system", contender.label())
              .with("entries", entries)
              .with("bytes", LOADED_BYTES)
              .with("chunk", chunk)
              .with("number", way)
              .with("loads", options.quick() ? 1 : 5);
      try (Fork fork = start("load-" + contender.label())) {
        HarnessMessage outcome = fork.ask(command);
        ways = outcome.whole("ways");
        double[] rates = outcome.numbers("rates");
        Map<String, String> parameters = new LinkedHashMap<>(command.fields());
        parameters.put("way", outcome.text("way"));
        results.add("bulk_load", contender.label(), parameters, "entries/s", rates);
        double median = Samples.median(rates);
        loads.row(
            contender.label(),
            outcome.text("way"),
            chunk,
            String.format(Locale.ROOT, "%,.0f", median));
        best = Double.isNaN(best) ? median : Math.max(best, median);
      }
    }
    return best;
  }
}
