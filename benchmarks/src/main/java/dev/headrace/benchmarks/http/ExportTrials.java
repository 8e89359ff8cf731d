package dev.headrace.benchmarks.http;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.http.client.LoadOutcome;
import dev.headrace.benchmarks.http.client.LoadPlan;
import dev.headrace.benchmarks.http.client.RequestSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A cache exported over HTTP from nodes with small heaps: how fast, what the heap of the node that
 * sends it does, and what it holds for a reader that has stopped. Five nodes, one copy, so that
 * each holds a fifth of what is exported.
 */
final class ExportTrials {
  private static final String CACHE = "exported";
  private static final int NODES = 5;
  private static final int HEAP_MEGABYTES = 384;
  private static final int ENTRY_MEGABYTES = 288;
  private static final int VALUE_BYTES = 1_000;
  private static final int WARM_UP_SECONDS = 40;
  private static final int OTHERS_RATE = 1_000;
  private static final int OTHERS_CONNECTIONS = 16;
  private static final double MEGABYTE = 1e6;

  private final Options options;
  private final Results results;
  private final Fork client;
  private final int entries;
  private final Table table = new Table(1, "form", "bytes", "MB/s", "heap growth MB", "samples");
  private long errors;

  ExportTrials(Options options, Results results, Fork client) {
    this.options = options;
    this.results = results;
    this.client = client;
    this.entries = options.quick() ? 100_000 : 1_000_000;
  }

  /** Measures everything. */
  void run() {
    try (ServedCluster cluster =
        new ServedCluster(
            new ServedCluster.Shape(
                HttpComparison.HEADRACE, NODES, 1, HEAP_MEGABYTES, ENTRY_MEGABYTES))) {
      fill(cluster);
      results.ratio("export_mb_per_s", export(cluster, "binary"));
      results.ratio("export_ndjson_mb_per_s", export(cluster, "ndjson"));
      stall(cluster);
    }
  }

  /** What was wrong; empty if nothing was. */
  String failure() {
    return errors == 0 ? "" : errors + " answers beside a stalled reader were wrong";
  }

  /** The table. */
  @Override
  public String toString() {
    return table.toString();
  }

  private void fill(ServedCluster cluster) {
    int each = entries / NODES;
    List<HarnessMessage> commands = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      commands.add(
          HarnessMessage.of("fill")
              .with("from", i * each)
              .with("count", each)
              .with("valueBytes", VALUE_BYTES));
    }
    cluster.all(commands);
    int held = cluster.entrance().ask(HarnessMessage.of("entries")).whole("count");
    if (held != entries) {
      throw new WrongContentException(entries + " entries were loaded, but there are " + held);
    }
  }

  private Map<String, String> parameters(String form) {
    return Map.of(
        "form", form,
        "nodes", String.valueOf(NODES),
        "owners", "1",
        "heapMegabytes", String.valueOf(HEAP_MEGABYTES),
        "entries", String.valueOf(entries),
        "valueBytes", String.valueOf(VALUE_BYTES));
  }

  // ---- Rate and heap

  /** The median rate in megabytes of the body per second. */
  private double export(ServedCluster cluster, String form) {
    HarnessMessage command = command("export", cluster, form);
    warmUp(command);
    double[] rates = new double[options.quick() ? 2 : 3];
    double bytes = 0;
    for (int i = 0; i < rates.length; i++) {
      HarnessMessage outcome = client.ask(command);
      bytes = outcome.number("bytes");
      rates[i] = bytes / MEGABYTE / outcome.number("seconds");
    }
    if (bytes < (double) entries * VALUE_BYTES) {
      throw new IllegalStateException("an export had " + bytes + " bytes, fewer than its values");
    }
    results.add("export_rate", HttpComparison.HEADRACE, parameters(form), "MB/s", rates);
    double[] heap = heap(cluster, command);
    double growth = (heap[1] - heap[0]) / MEGABYTE;
    results.add(
        "export_heap", HttpComparison.HEADRACE, parameters(form), "bytes", heap[0], heap[1]);
    results.raise("export_heap_growth_mb", Math.max(0, growth));
    double rate = Samples.median(rates);
    table.row(form, (long) bytes, rounded(rate), rounded(growth), (int) heap[2]);
    return rate;
  }

  /** Until the compilers of five nodes on few cores have done what they will do. */
  private void warmUp(HarnessMessage command) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.quick() ? 6 : WARM_UP_SECONDS);
    do {
      client.ask(command);
    } while (System.nanoTime() - end < 0);
  }

  /**
   * The heap in use after collections, before an export and the most of it meanwhile, and how many
   * there were. Collections slow the node down, so this export is not timed.
   */
  private double[] heap(ServedCluster cluster, HarnessMessage command) {
    Fork node = cluster.entrance();
    node.ask(HarnessMessage.of("heap")); // what the last export has left goes with two collections
    double before = node.ask(HarnessMessage.of("heap")).number("bytes");
    node.send(HarnessMessage.of("watch"));
    client.ask(command);
    HarnessMessage during = node.reply();
    return new double[] {before, during.number("most"), during.number("samples")};
  }

  private static HarnessMessage command(String verb, ServedCluster cluster, String form) {
    return HarnessMessage.of(verb)
        .with("port", cluster.port())
        .with("cache", CACHE)
        .with("format", form);
  }

  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  // ---- A reader that stalls

  private void stall(ServedCluster cluster) {
    Fork node = cluster.entrance();
    int seconds = options.quick() ? 5 : 60;
    others(cluster, 5);
    double before = others(cluster, options.quick() ? 5 : 10).latencies().millis(99);
    double heapBefore = node.ask(HarnessMessage.of("heap")).number("bytes");
    node.ask(HarnessMessage.of("queue"));
    client.ask(command("stall", cluster, "ndjson"));
    node.send(HarnessMessage.of("queued").with("millis", seconds * 1_000));
    LoadOutcome during = others(cluster, seconds);
    HarnessMessage held = node.reply();
    double heapDuring = node.ask(HarnessMessage.of("heap")).number("bytes");
    double bytes = client.ask(HarnessMessage.of("resume")).number("bytes");
    if (held.whole("pausedLooks") == 0 || bytes < (double) entries * VALUE_BYTES) {
      throw new IllegalStateException("the reader has not stalled and gone on: " + held);
    }
    Map<String, String> parameters = parameters("ndjson");
    String system = HttpComparison.HEADRACE;
    results.add("stalled_held", system, parameters, "bytes", held.number("most"));
    results.add("stalled_heap_growth", system, parameters, "bytes", heapDuring - heapBefore);
    results.add(
        "stalled_others_p99", system, parameters, "ms", before, during.latencies().millis(99));
    results.ratio("stalled_queue_kb", held.number("most") / 1024);
    results.ratio("stalled_others_p99", during.latencies().millis(99) / before);
  }

  /** Others write meanwhile; the replies to writes have no bodies. */
  private LoadOutcome others(ServedCluster cluster, int seconds) {
    LoadPlan.Work work = new LoadPlan.Work(true, false, 1_000, 100, 100, "");
    RequestSchedule schedule =
        RequestSchedule.lasting(OTHERS_RATE, OTHERS_CONNECTIONS, seconds * 1_000);
    LoadOutcome outcome =
        LoadOutcome.of(client.ask(new LoadPlan(cluster.port(), work, schedule).command()));
    errors += outcome.errors() + outcome.unanswered();
    return outcome;
  }
}
