package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code benchmarks/run iteration}: plans the rounds, reads JMH's scores, draws the ratios.
 *
 * <p>Each cell is measured in several rounds, a fork each. What is no rate comes last, see {@link
 * IterationShares}.
 */
public final class IterationComparison {

  private static final String WIRE = "wire";

  private static final List<String> KEYS =
      List.of(
          "vs_infinispan_default",
          "vs_infinispan_same_batch_10",
          "vs_infinispan_same_batch_100",
          "vs_infinispan_same_batch_1000",
          "vs_infinispan_best_100",
          "vs_infinispan_best_1000",
          "vs_redis_scan",
          "vs_ignite",
          "vs_coherence",
          "wire_share",
          "exactly_once_share",
          "max_buffered_share",
          "alloc_share",
          "first_entry_p99_ms");

  private final Options options;
  private final Results results;
  private final Participants participants;
  private final RatioCells ratioCells;

  private IterationComparison(Options options) {
    this.options = options;
    this.results = new Results("iteration", options.quick());
    this.participants = new Participants(Contender.COMPARED, options, results);
    this.ratioCells = new RatioCells(options.quick());
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    List<String> known = new ArrayList<>(Contender.labels(Contender.COMPARED));
    known.add(WIRE);
    new IterationComparison(Options.parse(arguments, known)).run();
  }

  private void run() {
    List<IterationCell> cells =
        ratioCells.all().stream().filter(cell -> participants.includes(cell.system())).toList();
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      measure(rounds, cells);
      IterationTable table = new IterationTable();
      for (IterationCell cell : cells) {
        table.add(cell, rounds);
        results.add(
            cell.subject(), "entries/s", entriesPerSecond(rounds, cell.jmh(), cell.entries()));
      }
      for (JmhCell cell : wireCells()) {
        double[] rates = entriesPerSecond(rounds, cell, RatioCells.HUNDRED);
        table.addWire(cell, rates);
        results.add("wire-limit", WIRE, cell.coordinates(), "entries/s", rates);
      }
      new IterationRatios(rounds, cells, results).draw(ratioCells.wireContents());
      if (participants.includes(Contender.HEADRACE)) {
        IterationRatios.drawDelivery(rounds, deliveryCell(), results);
      }
      new IterationShares(participants, results, options.quick()).measure();
      System.out.println(table);
      rounds.write(options.jmhOutput());
    }
    results.end(options.output(), KEYS);
  }

  private void measure(JmhRounds rounds, List<IterationCell> cells) {
    List<JmhCell> compared = new ArrayList<>(cells.stream().map(IterationCell::jmh).toList());
    compared.addAll(wireCells());
    if (participants.includes(Contender.HEADRACE)) {
      compared.add(deliveryCell());
    }
    rounds.measure(options.rounds(), compared, this::schedule);
  }

  private JmhSchedule schedule(JmhCell cell) {
    if (cell.benchmark() == DeliveryBenchmark.class) {
      return options.quick() ? new JmhSchedule(2, 500, 10, 500) : new JmhSchedule(2, 1000, 20, 800);
    }
    return options.clusterSchedule();
  }

  private List<JmhCell> wireCells() {
    List<JmhCell> cells = new ArrayList<>();
    if (options.includes(WIRE)) {
      for (EntrySet entries : ratioCells.wireContents()) {
        for (int threads : ratioCells.remoteReaders()) {
          cells.add(IterationRatios.wire(entries, threads));
        }
      }
    }
    return cells;
  }

  private static JmhCell deliveryCell() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("system", Contender.HEADRACE.label());
    parameters.put("valueBytes", Integer.toString(RatioCells.HUNDRED.valueBytes()));
    parameters.put("entries", Integer.toString(RatioCells.HUNDRED.count()));
    return new JmhCell(DeliveryBenchmark.class, "inTurn", RatioCells.THREADS, parameters);
  }

  /** JMH counts walks. */
  static double[] entriesPerSecond(JmhRounds rounds, JmhCell cell, EntrySet entries) {
    double[] walks = rounds.scores(cell);
    java.util.Arrays.setAll(walks, i -> walks[i] * entries.count());
    return walks;
  }
}
