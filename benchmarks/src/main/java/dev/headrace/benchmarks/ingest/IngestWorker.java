package dev.headrace.benchmarks.ingest;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.peer.BulkLoads;
import dev.headrace.benchmarks.peer.run.RunningSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * The main class of a fork. Its commands are {@code load system entries bytes chunk number loads},
 * which tells how many entries a second a system takes in one of its ways, {@code append} with the
 * fields of a trial and some partitioners, which take turns, and {@code bounded}, which tells what
 * a sink holds of a source without an end.
 */
public final class IngestWorker {
  private static final int DATA_NODES = 3;
  private static final int SEGMENTS = 256;
  private static final int OWNERS = 2;

  /** More would take the slowest system beyond what a command may take. */
  private static final int WARM_UP_LOADS = 2;

  private IngestWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Worker.serve(
        Map.of(
            "load", IngestWorker::load,
            "append", IngestWorker::append,
            "bounded", IngestWorker::bounded));
  }

  /** The entries are made before: only their loading is timed, into an empty cache. */
  private static HarnessMessage load(HarnessMessage message) {
    Entries entries = new Entries(message.whole("entries"), message.whole("bytes"));
    List<Map<String, byte[]>> chunks = new ArrayList<>();
    entries.inBatches(message.whole("chunk"), chunk -> chunks.add(new HashMap<>(chunk)));
    try (RunningSystem running =
        RunningSystem.start(
            message.text("system"), DATA_NODES, entries.count(), entries.valueBytes())) {
      BulkLoads loads = running.cluster().bulkLoads();
      Map<String, Consumer<List<Map<String, byte[]>>>> ways = new TreeMap<>(loads.ways());
      String way = List.copyOf(ways.keySet()).get(message.whole("number"));
      double[] rates = new double[message.whole("loads")];
      for (int i = -WARM_UP_LOADS; i < rates.length; i++) {
        loads.clear();
        long begin = System.nanoTime();
        Objects.requireNonNull(ways.get(way)).accept(chunks);
        long tookNanos = System.nanoTime() - begin;
        if (i >= 0) {
          rates[i] = entries.count() * 1e9 / tookNanos;
        }
      }
      return HarnessMessage.of("done")
          .with("ways", ways.size())
          .with("way", way)
          .with("rates", rates);
    }
  }

  private static HarnessMessage bounded(HarnessMessage message) {
    try (AppendCluster cluster = new AppendCluster(SEGMENTS, OWNERS, 0)) {
      BoundedTrial.Outcome outcome =
          new BoundedTrial(message.whole("memory"), message.whole("seconds")).run(cluster.cache());
      return HarnessMessage.of("done")
          .with("records", outcome.records())
          .with("held", outcome.mostHeldBytes())
          .with("early", outcome.earlyHeapBytes())
          .with("late", outcome.lateHeapBytes());
    }
  }

  private static HarnessMessage append(HarnessMessage message) {
    AppendTrial trial =
        new AppendTrial(
            message.whole("batch"),
            message.whole("linger"),
            message.whole("rate"),
            message.whole("burst"),
            message.whole("seconds"));
    try (AppendCluster cluster =
        new AppendCluster(
            message.whole("segments"), message.whole("owners"), message.whole("slow"))) {
      AppendTrial warmUp =
          new AppendTrial(
              trial.batchBytes(), 0, message.whole("warmUpRate"), trial.burstMillis(), 1);
      List<String> order =
          new ArrayList<>(Arrays.asList(message.text("partitioners").split(",", -1)));
      WarmUp.untilCompiled(
          () -> {
            order.forEach(partitioner -> warmUp.warmUp(cluster.cache(), partitioner));
            cluster.cache().clear();
          });
      Map<String, List<AppendTrial.Outcome>> outcomes = new LinkedHashMap<>();
      for (int i = 0; i < message.whole("trials"); i++) {
        for (String partitioner : order) {
          outcomes
              .computeIfAbsent(partitioner, first -> new ArrayList<>())
              .add(trial.run(cluster.cache(), partitioner));
          cluster.cache().clear();
        }
        Collections.reverse(order);
      }
      HarnessMessage reply = HarnessMessage.of("done");
      for (var entry : outcomes.entrySet()) {
        reply = figures(reply, entry.getKey() + ".", entry.getValue());
      }
      return reply;
    }
  }

  private static HarnessMessage figures(
      HarnessMessage reply, String prefix, List<AppendTrial.Outcome> outcomes) {
    return reply
        .with(prefix + "mean", each(outcomes, AppendTrial.Outcome::meanMillis))
        .with(prefix + "p50", each(outcomes, outcome -> outcome.millis(0.5)))
        .with(prefix + "p99", each(outcomes, outcome -> outcome.millis(0.99)))
        .with(prefix + "p999", each(outcomes, outcome -> outcome.millis(0.999)))
        .with(prefix + "cpu", each(outcomes, AppendTrial.Outcome::cpuMicros))
        .with(prefix + "throughput", each(outcomes, AppendTrial.Outcome::throughput))
        .with(prefix + "batches", each(outcomes, AppendTrial.Outcome::batches))
        .with(prefix + "fill", each(outcomes, AppendTrial.Outcome::fill));
  }

  private static double[] each(
      List<AppendTrial.Outcome> outcomes, ToDoubleFunction<AppendTrial.Outcome> figure) {
    return outcomes.stream().mapToDouble(figure).toArray();
  }
}
