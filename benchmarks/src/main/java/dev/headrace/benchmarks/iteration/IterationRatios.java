package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Draws the final figures from the scores.
 *
 * <p>Both sides of a comparison give the same guarantee, exactly once, and Infinispan is taken in
 * the better of its two modes that give it. A side that was not measured leaves its figures NaN.
 */
final class IterationRatios {

  private final Scores scores;
  private final Results results;

  IterationRatios(Scores scores, Results results) {
    this.scores = scores;
    this.results = results;
  }

  void draw() {
    EntrySet hundred = new EntrySet(Grid.RATIO_ENTRIES, 100);
    results.ratio(
        "vs_infinispan_default",
        versus(hundred, cell -> cell.mode().equals("default") && cell.batchEntries() == 0));
    for (int valueBytes : List.of(10, 100, 1000)) {
      EntrySet entries = new EntrySet(Grid.RATIO_ENTRIES, valueBytes);
      results.ratio(
          "vs_infinispan_same_batch_" + valueBytes,
          versus(entries, cell -> cell.batchEntries() == Grid.SAME_BATCH));
      if (valueBytes > 10) {
        results.ratio("vs_infinispan_best_" + valueBytes, versus(entries, cell -> true));
      }
      drawWireShare(entries);
    }
  }

  private double versus(EntrySet entries, Predicate<Cell> which) {
    Predicate<Cell> comparable =
        which
            .and(cell -> cell.vantage() == Vantage.OWNER && cell.threads() == Grid.THREADS)
            .and(cell -> cell.system().mode(cell.mode()).exactlyOnce());
    double ours = scores.best(entries, comparable.and(of(Contender.HEADRACE)));
    double theirs = scores.best(entries, comparable.and(of(Contender.INFINISPAN)));
    return ours / theirs;
  }

  private void drawWireShare(EntrySet entries) {
    double limit = wireLimit(entries);
    double ours =
        scores.best(
            entries, of(Contender.HEADRACE).and(cell -> cell.vantage() == Vantage.BYSTANDER));
    if (!Double.isNaN(limit)) {
      results.ratio("wire_limit_" + entries.valueBytes(), limit);
    }
    if (!Double.isNaN(ours / limit)) {
      String suffix = entries.valueBytes() == 100 ? "" : "_" + entries.valueBytes();
      results.ratio("wire_share" + suffix, ours / limit);
    }
  }

  /** The better of one decoding thread and several, each by its median over the rounds. */
  private double wireLimit(EntrySet entries) {
    Map<String, List<Double>> byThreads = new HashMap<>();
    for (Measurement measurement : results.measurements()) {
      Map<String, String> parameters = measurement.parameters();
      if (measurement.question().equals("wire-limit")
          && Integer.toString(entries.valueBytes()).equals(parameters.get("valueBytes"))) {
        byThreads
            .computeIfAbsent(
                parameters.getOrDefault("threads", "0"), threads -> new java.util.ArrayList<>())
            .add(measurement.score());
      }
    }
    return byThreads.values().stream()
        .mapToDouble(list -> Samples.median(list.stream().mapToDouble(x -> x).toArray()))
        .max()
        .orElse(Double.NaN);
  }

  private static Predicate<Cell> of(Contender system) {
    return cell -> cell.system() == system;
  }
}
