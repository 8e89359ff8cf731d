package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code benchmarks/run grid}: walks by Headrace and Infinispan over the grid of Infinispan's own
 * iteration benchmark, each cell in one fork unless more rounds are asked for.
 *
 * <p>A ratio compares two cells with the same content, batch, distribution and awareness of nodes
 * that come and go. A quick run has the content of {@link IterationComparison} and its batch only.
 */
public final class GridComparison {

  private static final int MANY = 250_000;
  private static final List<Integer> BATCHES = List.of(512, RatioCells.SAME_BATCH, 16_384, 32_768);
  private static final int FULL_ROUNDS = 1;
  private static final List<Contender> SYSTEMS = List.of(Contender.HEADRACE, Contender.INFINISPAN);

  private static final String LOWEST = "vs_infinispan_lowest";
  private static final String MIDDLE = "vs_infinispan_median";
  private static final String HIGHEST = "vs_infinispan_highest";

  private final Options options;
  private final Results results;
  private final List<Contender> systems;

  private GridComparison(Options options) {
    this.options = options;
    this.results = new Results("grid", options.quick());
    Participants participants = new Participants(SYSTEMS, options, results);
    this.systems = SYSTEMS.stream().filter(participants::includes).toList();
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new GridComparison(Options.parse(arguments, Contender.labels(SYSTEMS), FULL_ROUNDS)).run();
  }

  private void run() {
    List<IterationCell> cells = new ArrayList<>();
    systems.forEach(system -> cells.addAll(cells(system)));
    JmhSchedule schedule = options.clusterSchedule();
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.measure(
          options.rounds(), cells.stream().map(IterationCell::jmh).toList(), cell -> schedule);
      IterationTable table = new IterationTable();
      for (IterationCell cell : cells) {
        table.add(cell, rounds);
        results.add(
            cell.subject(),
            "entries/s",
            IterationComparison.entriesPerSecond(rounds, cell.jmh(), cell.entries()));
      }
      draw(rounds);
      System.out.println(table);
      rounds.write(options.jmhOutput());
    }
    results.end(options.output(), List.of(LOWEST, MIDDLE, HIGHEST));
  }

  private List<IterationCell> cells(Contender system) {
    List<IterationCell> cells = new ArrayList<>();
    for (EntrySet entries : contents()) {
      for (boolean rehashAware : List.of(true, false)) {
        for (boolean sequential : List.of(false, true)) {
          for (int batch : options.quick() ? List.of(RatioCells.SAME_BATCH) : BATCHES) {
            String way = system.ways().get(0);
            cells.add(
                IterationCell.usual(system, batch, RatioCells.THREADS, entries)
                    .with(new WalkSettings(way, batch, sequential, rehashAware)));
          }
        }
      }
    }
    return cells;
  }

  private List<EntrySet> contents() {
    if (options.quick()) {
      return List.of(RatioCells.HUNDRED);
    }
    List<EntrySet> contents = new ArrayList<>(RatioCells.contents());
    contents.add(new EntrySet(MANY, RatioCells.HUNDRED.valueBytes()));
    return contents;
  }

  private void draw(JmhRounds rounds) {
    List<IterationCell> ours = cells(Contender.HEADRACE);
    List<IterationCell> theirs = cells(Contender.INFINISPAN);
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      double ratio = rounds.ratio(ours.get(i).jmh(), theirs.get(i).jmh());
      if (!Double.isNaN(ratio)) {
        ratios.add(ratio);
        results.lower(LOWEST, ratio);
        results.raise(HIGHEST, ratio);
      }
    }
    if (!ratios.isEmpty()) {
      results.ratio(
          MIDDLE, Samples.median(ratios.stream().mapToDouble(Double::doubleValue).toArray()));
    }
  }
}
