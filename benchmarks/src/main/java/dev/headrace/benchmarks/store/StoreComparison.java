package dev.headrace.benchmarks.store;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
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
 * {@code benchmarks/run store}: plans the rounds, reads JMH's scores, draws the ratios, and asks a
 * fork of each holder what its entries take in memory.
 *
 * <p>A ratio is the median over the rounds of the ratio within one round.
 */
public final class StoreComparison {

  private static final List<String> HOLDERS = List.of(Holder.STORE, Holder.MAP);
  private static final int ENTRIES = 1_000_000;
  private static final int VALUE_BYTES = 100;

  private final Options options;
  private final Results results;
  private final Table table = new Table(2, "question", "system", "median");

  /** What is asked of a holder, and what one of JMH's operations counts for. */
  private record Question(String name, String method, boolean compacted, String unit, int events) {

    JmhCell of(String holder) {
      Map<String, String> parameters = new LinkedHashMap<>();
      parameters.put("holder", holder);
      parameters.put("compacted", Boolean.toString(compacted));
      parameters.put("entries", Integer.toString(ENTRIES));
      parameters.put("valueBytes", Integer.toString(VALUE_BYTES));
      return new JmhCell(StoreBenchmark.class, method, 1, parameters);
    }
  }

  private static final Question SCAN_LOADED =
      new Question("scan_loaded", "scan", false, "entries/s", ENTRIES);

  private static final Question SCAN_COMPACTED =
      new Question("scan_compacted", "scan", true, "entries/s", ENTRIES);

  private static final Question GET = new Question("get", "get", false, "operations/s", 1);
  private static final Question PUT = new Question("put", "put", true, "operations/s", 1);

  private static final List<Question> QUESTIONS = List.of(SCAN_LOADED, SCAN_COMPACTED, GET, PUT);

  private StoreComparison(Options options) {
    this.options = options;
    this.results = new Results("store", options.quick());
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new StoreComparison(Options.parse(arguments, HOLDERS)).run();
  }

  private void run() {
    HOLDERS.stream().filter(options::includes).forEach(this::measureMemory);
    List<JmhCell> cells = new ArrayList<>();
    for (Question question : QUESTIONS) {
      HOLDERS.stream().filter(options::includes).forEach(holder -> cells.add(question.of(holder)));
    }
    JmhSchedule schedule =
        options.quick() ? new JmhSchedule(3, 500, 3, 500) : new JmhSchedule(5, 1000, 5, 1000);
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.measure(options.rounds(), cells, cell -> schedule);
      for (Question question : QUESTIONS) {
        HOLDERS.forEach(holder -> note(question, holder, rounds));
      }
      draw(rounds);
      rounds.write(options.jmhOutput());
    }
    System.out.println(table);
    results.end(
        options.output(),
        List.of(
            "scan_loaded_million_per_s",
            "scan_compacted_million_per_s",
            "get_vs_map",
            "put_vs_map",
            "heap_overhead_bytes"));
  }

  private void measureMemory(String holder) {
    HarnessMessage held;
    try (Fork fork = Fork.start(holder, StoreMemoryWorker.class, List.of(), List.of(holder))) {
      held =
          fork.ask(HarnessMessage.of("load").with("entries", ENTRIES).with("bytes", VALUE_BYTES));
    }
    double overhead = overhead(held.number("held"));
    note("heap_overhead", holder, new LinkedHashMap<>(), "bytes/entry", overhead);
    String suffix = holder.equals(Holder.STORE) ? "" : "_map";
    results.ratio("heap_overhead_bytes" + suffix, overhead);
    if (holder.equals(Holder.STORE)) {
      double accounted = overhead(held.number("accounted"));
      note("accounted_overhead", holder, new LinkedHashMap<>(), "bytes/entry", accounted);
    }
  }

  private static double overhead(double bytes) {
    return bytes / ENTRIES - Entries.KEY_CHARS - VALUE_BYTES;
  }

  private void note(Question question, String holder, JmhRounds rounds) {
    double[] rates = rounds.scores(question.of(holder));
    java.util.Arrays.setAll(rates, i -> rates[i] * question.events());
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("compacted", Boolean.toString(question.compacted()));
    note(question.name(), holder, parameters, question.unit(), rates);
  }

  private void note(
      String question,
      String holder,
      Map<String, String> parameters,
      String unit,
      double... samples) {
    if (samples.length == 0) {
      return; // left out by --only
    }
    parameters.put("entries", Integer.toString(ENTRIES));
    parameters.put("valueBytes", Integer.toString(VALUE_BYTES));
    results.add(question, holder, parameters, unit, samples);
    table.row(question, holder, String.format(Locale.ROOT, "%.1f", Samples.median(samples)));
  }

  private void draw(JmhRounds rounds) {
    double million = ENTRIES / 1e6;
    results.ratio(
        "scan_loaded_million_per_s", rounds.median(SCAN_LOADED.of(Holder.STORE)) * million);
    results.ratio(
        "scan_compacted_million_per_s", rounds.median(SCAN_COMPACTED.of(Holder.STORE)) * million);
    results.ratio("get_vs_map", ratio(rounds, GET));
    results.ratio("put_vs_map", ratio(rounds, PUT));
    results.ratio("scan_vs_map", ratio(rounds, SCAN_LOADED));
  }

  private static double ratio(JmhRounds rounds, Question question) {
    return rounds.ratio(question.of(Holder.STORE), question.of(Holder.MAP));
  }
}
