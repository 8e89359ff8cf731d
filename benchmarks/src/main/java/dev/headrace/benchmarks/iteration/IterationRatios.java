package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.List;
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

  private double versus(EntrySet entries, Predicate<IterationCell> which) {
    Predicate<IterationCell> comparable =
        which
            .and(cell -> cell.vantage() == Vantage.OWNER && cell.threads() == Grid.THREADS)
            .and(cell -> cell.system().mode(cell.mode()).exactlyOnce());
    double ours = scores.best(entries, comparable.and(of(Contender.HEADRACE)));
    double theirs = scores.best(entries, comparable.and(of(Contender.INFINISPAN)));
    return ours / theirs;
  }

  /**
   * What remains of the wire's limit over remote segments only: the best of all settings against
   * the best bare loop, and for each number of threads against a loop with as many decoding
   * threads.
   */
  private void drawWireShare(EntrySet entries) {
    String suffix = entries.valueBytes() == 100 ? "" : "_" + entries.valueBytes();
    double limit = Double.NaN;
    for (int threads : List.of(1, Grid.THREADS)) {
      double alike = wireLimit(entries, threads);
      if (Double.isNaN(alike)) {
        continue; // not measured with these entries
      }
      limit = Double.isNaN(limit) ? alike : Math.max(limit, alike);
      results.ratio("wire_limit" + suffix + "_threads_" + threads, alike);
      double ours = remote(entries, cell -> cell.threads() == threads);
      results.ratio("wire_share" + suffix + "_threads_" + threads, ours / alike);
    }
    double ours = remote(entries, cell -> true);
    if (!Double.isNaN(limit)) {
      results.ratio("wire_share" + suffix, ours / limit);
    }
  }

  private double remote(EntrySet entries, Predicate<IterationCell> which) {
    return scores.best(
        entries,
        of(Contender.HEADRACE).and(cell -> cell.vantage() == Vantage.BYSTANDER).and(which));
  }

  /** The median over the rounds. */
  private double wireLimit(EntrySet entries, int threads) {
    double[] rates =
        results.measurements().stream()
            .filter(measurement -> measurement.question().equals("wire-limit"))
            .filter(measurement -> has(measurement, "valueBytes", entries.valueBytes()))
            .filter(measurement -> has(measurement, "threads", threads))
            .mapToDouble(Measurement::score)
            .toArray();
    return rates.length == 0 ? Double.NaN : Samples.median(rates);
  }

  private static boolean has(Measurement measurement, String parameter, int value) {
    return Integer.toString(value).equals(measurement.parameters().get(parameter));
  }

  private static Predicate<IterationCell> of(Contender system) {
    return cell -> cell.system() == system;
  }
}
