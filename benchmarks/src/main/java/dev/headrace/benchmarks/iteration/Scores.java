package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Samples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The scores of all rounds by content and cell, and the ratios between them. */
final class Scores {

  private record Place(EntrySet entries, IterationCell cell) {}

  private final Map<Place, List<Double>> rounds = new HashMap<>();

  void add(EntrySet entries, IterationCell cell, double score) {
    rounds.computeIfAbsent(new Place(entries, cell), place -> new ArrayList<>()).add(score);
  }

  boolean has(EntrySet entries, IterationCell cell) {
    return rounds.containsKey(new Place(entries, cell));
  }

  /**
   * The best cell of those asked for, each judged by its median over the rounds; NaN if there is
   * none.
   */
  double best(EntrySet entries, Predicate<IterationCell> which) {
    double best = Double.NaN;
    for (Map.Entry<Place, List<Double>> place : rounds.entrySet()) {
      if (place.getKey().entries().equals(entries) && which.test(place.getKey().cell())) {
        double[] scores = place.getValue().stream().mapToDouble(Double::doubleValue).toArray();
        double median = Samples.median(scores);
        best = Double.isNaN(best) ? median : Math.max(best, median);
      }
    }
    return best;
  }

  /** The median of pairwise ratios, where both lists were measured in turn. */
  static double ratio(double[] ours, double[] theirs) {
    double[] ratios = new double[ours.length];
    Arrays.setAll(ratios, i -> ours[i] / theirs[i]);
    return Samples.median(ratios);
  }
}
