package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.util.Map;

/**
 * The main class of a fork that measures one system. Its argument is the system's label.
 *
 * <p>Commands: {@code grow} (see {@link GrowingCluster}) with the fields of a {@link JoinCase} and
 * {@code crash}, whether the last node is to be killed in the end; of Headrace alone {@code pauses}
 * (see {@link HandOvers}), {@code streams} (see {@link StreamRates}), {@code virtual} (see {@link
 * VirtualCluster}), {@code table} (see {@link TableFigures}) and {@code repair} (see {@link
 * TableRepair}).
 */
public final class MigrationWorker {

  private static final int MAX_ATTEMPTS = 3;

  private final MigrationSystem system;

  private MigrationWorker(MigrationSystem system) {
    this.system = system;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    MigrationWorker worker = new MigrationWorker(MigrationSystem.of(arguments[0]));
    Worker.serve(
        Map.of(
            "version", worker::version,
            "grow", worker::grow,
            "pauses", HandOvers::measure,
            "streams", StreamRates::measure,
            "virtual", VirtualCluster::measure,
            "table", TableFigures::measure,
            "repair", TableRepair::measure));
    System.exit(0); // a system that left a thread behind must not keep the fork alive
  }

  private HarnessMessage version(HarnessMessage message) {
    return HarnessMessage.of("version").with("version", system.version());
  }

  private HarnessMessage grow(HarnessMessage message) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      HarnessMessage grown = growOnce(message);
      if (!grown.fields().getOrDefault("disturbed", "false").equals("true")) {
        return grown.with("attempts", attempt);
      }
    }
    throw new IllegalStateException(
        "In each of %d attempts something moved too early, or the cluster gave up a node"
            .formatted(MAX_ATTEMPTS));
  }

  private HarnessMessage growOnce(HarnessMessage message) {
    try (GrowingCluster cluster = system.found(JoinCase.of(message))) {
      HarnessMessage grown = cluster.grow();
      boolean complete = Boolean.parseBoolean(grown.text("complete"));
      return complete && Boolean.parseBoolean(message.text("crash")) ? cluster.crash(grown) : grown;
    }
  }
}
