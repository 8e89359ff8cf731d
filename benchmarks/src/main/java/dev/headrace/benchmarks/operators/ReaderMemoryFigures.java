package dev.headrace.benchmarks.operators;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The part of {@code benchmarks/run operators} about the memory of a stream: few and many entries
 * of one node are read by a member whose heap is small. A fork for the node and one for the member,
 * anew for each number of entries.
 */
final class ReaderMemoryFigures {

  private static final int FEW = 10_000;
  private static final int MANY = 10_000_000;
  private static final int MANY_WHEN_QUICK = 500_000;
  private static final int FILLED_AT_ONCE = 1_000_000;
  private static final int HEAP_MEGABYTES = 64;
  private static final double MEGABYTE = 1 << 20;

  private ReaderMemoryFigures() {}

  /** Measures; a reader that needs more heap than it has fails the run. */
  static void measure(Options options, Results results) {
    Table table = new Table(1, "entries", "live heap of the reader, MB");
    int many = options.quick() ? MANY_WHEN_QUICK : MANY;
    double ofFew = measure(FEW, results, table);
    double ofMany = measure(many, results, table);
    results.ratio("stream_memory_growth_mb", ofMany - ofFew);
    System.out.println(table);
  }

  private static double measure(int entries, Results results, Table table) {
    List<String> small = List.of("-Xms16m", "-Xmx" + HEAP_MEGABYTES + "m");
    try (Fork holder = fork("memory-holder-", entries, List.of());
        Fork reader = fork("memory-reader-", entries, small)) {
      int port = holder.ask(HarnessMessage.of("hold")).whole("port");
      for (int from = 0; from < entries; from += FILLED_AT_ONCE) {
        holder.ask(
            HarnessMessage.of("fill")
                .with("from", from)
                .with("count", Math.min(FILLED_AT_ONCE, entries - from))
                .with("entries", entries));
      }
      HarnessMessage reply =
          reader.ask(HarnessMessage.of("read").with("port", port).with("entries", entries));
      double live = reply.number("live") / MEGABYTE;
      results.add(
          "stream_live_heap",
          "headrace",
          Map.of("entries", Integer.toString(entries), "heap", Integer.toString(HEAP_MEGABYTES)),
          "MB",
          live);
      table.row(entries, String.format(Locale.ROOT, "%.1f", live));
      return live;
    }
  }

  private static Fork fork(String name, int entries, List<String> jvmArguments) {
    return Fork.start(name + entries, ReaderMemoryWorker.class, jvmArguments, List.of());
  }
}
