package dev.headrace.benchmarks.operations;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code benchmarks/run operations}: plans the rounds, reads JMH's scores, draws the ratios.
 *
 * <p>A ratio is the median over the rounds of the ratio within one round. The final figures are of
 * operations that cross the wire, and the smaller of the ratios at one and at sixteen threads.
 */
public final class OperationsComparison {

  private static final List<String> KEYS =
      List.of(
          "remote_get_vs_infinispan",
          "remote_get_vs_hazelcast",
          "remote_get_vs_ignite",
          "remote_get_vs_coherence",
          "remote_put_vs_infinispan",
          "remote_put_vs_hazelcast",
          "remote_put_vs_ignite",
          "remote_put_vs_coherence",
          CoreScaling.STREAMS_KEY,
          CoreScaling.GETS_KEY);

  private final Options options;
  private final Results results;
  private final Participants participants;

  private OperationsComparison(Options options) {
    this.options = options;
    this.results = new Results("operations", options.quick());
    this.participants = new Participants(Contender.COMPARED, options, results);
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new OperationsComparison(Options.parse(arguments, Contender.labels(Contender.COMPARED))).run();
  }

  private void run() {
    List<OperationCell> cells = cells();
    JmhSchedule schedule = options.clusterSchedule();
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      List<JmhCell> jmh = new ArrayList<>(cells.stream().map(OperationCell::jmh).toList());
      if (participants.includes(Contender.HEADRACE)) {
        jmh.addAll(CoreScaling.cells(options.quick()));
      }
      rounds.measure(options.rounds(), jmh, cell -> schedule);
      for (OperationCell cell : cells) {
        Map<String, String> coordinates = cell.jmh().coordinates();
        coordinates.remove("system");
        coordinates.put("guarantee", cell.guarantee());
        results.add(
            cell.operation(),
            cell.system().label(),
            coordinates,
            "operations/s",
            rounds.scores(cell.jmh()));
      }
      draw(rounds);
      CoreScaling.draw(rounds, results);
      System.out.println(table(rounds, cells));
      rounds.write(options.jmhOutput());
    }
    results.end(options.output(), KEYS);
  }

  /**
   * A quick run has embedded systems only, and operations of one thread over the wire. Clients of
   * Redis hold no data.
   */
  private List<OperationCell> cells() {
    List<OperationCell> cells = new ArrayList<>();
    for (Contender system : Contender.COMPARED) {
      boolean asked = !options.only().isEmpty();
      boolean wanted = asked || system.isEmbedded() || !options.quick();
      for (Vantage vantage : Vantage.values()) {
        boolean there = vantage == Vantage.REMOTE_ONLY || (system.isEmbedded() && !options.quick());
        for (String operation : OperationCell.OPERATIONS) {
          for (int threads : options.quick() ? List.of(1) : OperationCell.THREADS) {
            if (wanted && there && participants.includes(system)) {
              cells.add(new OperationCell(system, vantage, operation, threads));
            }
          }
        }
      }
    }
    return cells;
  }

  private void draw(JmhRounds rounds) {
    for (Contender other : Contender.PEERS) {
      for (String operation : OperationCell.OPERATIONS) {
        for (Vantage vantage : Vantage.values()) {
          String key =
              (vantage == Vantage.REMOTE_ONLY ? "remote_" : "")
                  + operation
                  + "_vs_"
                  + other.label();
          for (int threads : OperationCell.THREADS) {
            OperationCell ours = new OperationCell(Contender.HEADRACE, vantage, operation, threads);
            double ratio = rounds.ratio(ours.jmh(), ours.of(other).jmh());
            if (!Double.isNaN(ratio)) {
              results.ratio(key + "_" + threads, ratio);
              results.lower(key, ratio);
            }
          }
        }
      }
    }
  }

  private static String table(JmhRounds rounds, List<OperationCell> cells) {
    Table table =
        new Table(4, "operation", "from", "system", "guarantee", "threads", "operations/s");
    List<OperationCell> sorted = new ArrayList<>(cells);
    sorted.sort(
        Comparator.comparing(OperationCell::operation)
            .thenComparing(OperationCell::vantage)
            .thenComparing(OperationCell::threads)
            .thenComparing(OperationCell::system));
    for (OperationCell cell : sorted) {
      table.row(
          cell.operation(),
          cell.vantage() == Vantage.OWNER
              ? "a data node"
              : cell.system().isEmbedded() ? "a member without data" : "a client",
          cell.system().label(),
          cell.guarantee(),
          cell.threads(),
          String.format(Locale.ROOT, "%.0f", rounds.median(cell.jmh())));
    }
    return table.toString();
  }
}
