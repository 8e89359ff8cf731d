package dev.headrace.benchmarks.ingest;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.peer.RunningSystem;
import java.io.IOException;
import java.util.Map;

/**
 * The main class of a fork. Its commands are {@code load system entries bytes}, which tells how
 * long a system takes to load entries, and {@code append} with the fields of a trial.
 */
public final class IngestWorker {
  private static final int DATA_NODES = 3;

  private IngestWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Worker.serve(Map.of("load", IngestWorker::load, "append", IngestWorker::append));
  }

  private static HarnessMessage load(HarnessMessage message) {
    Entries entries = new Entries(message.whole("entries"), message.whole("bytes"));
    String system = message.text("system");
    double[] rates = new double[message.whole("loads")];
    try (RunningSystem running =
        RunningSystem.start(system, DATA_NODES, entries.count(), entries.valueBytes())) {
      // What it holds was the warm-up.
      for (int i = 0; i < rates.length; i++) {
        long begin = System.nanoTime();
        running.cluster().load(entries);
        rates[i] = entries.count() * 1e9 / (System.nanoTime() - begin);
      }
    }
    return HarnessMessage.of("done").with("rates", rates);
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
          new AppendTrial(trial.batchBytes(), 0, trial.perSecond(), trial.burstMillis(), 2);
      warmUp.run(cluster.cache(), message.text("partitioner"));
      AppendTrial.Outcome outcome = trial.run(cluster.cache(), message.text("partitioner"));
      return HarnessMessage.of("done")
          .with("mean", outcome.meanMillis())
          .with("p50", outcome.millis(0.5))
          .with("p99", outcome.millis(0.99))
          .with("p999", outcome.millis(0.999))
          .with("cpu", outcome.cpuMicros())
          .with("throughput", outcome.throughput())
          .with("batches", outcome.batches())
          .with("fill", outcome.fill());
    }
  }
}
