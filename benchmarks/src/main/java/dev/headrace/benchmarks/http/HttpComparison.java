package dev.headrace.benchmarks.http;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.http.client.LoadWorker;
import java.util.List;

/**
 * A cluster over HTTP in an open loop, in the conditions of a key-value course whose nodes proxied
 * over the JDK's HTTP client, beside nodes that do that here; then exports from nodes with small
 * heaps, and a reader that stalls.
 */
public final class HttpComparison {
  static final String HEADRACE = "headrace";
  static final String PROXY = "proxy";
  static final List<String> SYSTEMS = List.of(HEADRACE, PROXY);
  private static final int TURNS = 6; // of ten seconds: a minute

  private static final List<String> KEYS =
      List.of(
          "put_rate",
          "get_rate",
          "p99_vs_proxy",
          "p999_vs_proxy",
          "five_vs_two_p999",
          "cpu_vs_proxy",
          "export_mb_per_s",
          "export_ndjson_mb_per_s",
          "export_heap_growth_mb",
          "stalled_queue_kb");

  private final Options options;
  private final Results results;

  private HttpComparison(Options options) {
    this.options = options;
    this.results = new Results("http", options.quick());
    results.version(HEADRACE, "built from source");
    results.version(PROXY, "java.net.http of the JDK");
    results.version(
        "infinispan", "left out: its REST server is not published in the 16.1 line, see the page");
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new HttpComparison(Options.parse(arguments, SYSTEMS, TURNS)).run();
  }

  private void run() {
    List<String> small = List.of("-Xms1g", "-Xmx1g");
    String failure;
    try (Fork client = Fork.start("http-client", LoadWorker.class, small, List.of())) {
      EntityTrials entities = new EntityTrials(options, results, client);
      entities.run();
      System.out.println(entities);
      failure = entities.failure();
      if (options.includes(HEADRACE)) {
        ExportTrials exports = new ExportTrials(options, results, client);
        exports.run();
        System.out.println(exports);
        failure += exports.failure();
      }
    }
    if (!failure.isEmpty()) {
      results.failed(failure);
    }
    results.end(options.output(), KEYS);
  }
}
