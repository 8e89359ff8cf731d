package dev.headrace.benchmarks.changes;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.peer.run.RunningSystem;
import java.io.IOException;
import java.util.Map;

/**
 * The main class of a fork. Its command {@code watch system writers warmup millis rounds} writes
 * without readers, with one, and with a slow one beside it, in turns.
 */
public final class ChangesWorker {
  private static final int DATA_NODES = 3;
  private static final int KEYS = 10_000;
  private static final int VALUE_BYTES = 100;

  private ChangesWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Worker.serve(Map.of("watch", ChangesWorker::watch));
    System.exit(0); // a system that left a thread behind must not keep the fork alive
  }

  private static HarnessMessage watch(HarnessMessage message) {
    int rounds = message.whole("rounds");
    double[] alone = new double[rounds];
    double[] watched = new double[rounds];
    double[] beside = new double[rounds];
    double[] events = new double[rounds];
    double[] lags = new double[rounds];
    double[] lagsBeside = new double[rounds];
    try (RunningSystem running =
        RunningSystem.start(message.text("system"), DATA_NODES, KEYS, VALUE_BYTES)) {
      ChangesTrial trial =
          new ChangesTrial(
              running.cluster(),
              running.entries(),
              message.whole("writers"),
              message.whole("warmup"),
              message.whole("millis"));
      trial.run(true, false); // warms what the first round would pay for
      for (int round = 0; round < rounds; round++) {
        alone[round] = trial.run(false, false).puts();
        ChangesTrial.Outcome one = trial.run(true, false);
        watched[round] = one.puts();
        events[round] = one.events();
        lags[round] = one.lagMillis(99);
        ChangesTrial.Outcome two = trial.run(true, true);
        beside[round] = two.puts();
        lagsBeside[round] = two.lagMillis(99);
      }
    }
    return HarnessMessage.of("done")
        .with("alone", alone)
        .with("watched", watched)
        .with("beside", beside)
        .with("events", events)
        .with("lags", lags)
        .with("lagsBeside", lagsBeside);
  }
}
