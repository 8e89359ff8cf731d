package dev.headrace.benchmarks.harness;

import java.util.List;
import java.util.Map;

/**
 * One cell of a benchmark's grid.
 *
 * @param question what was measured, such as {@code iterate}
 * @param system what it was measured on, such as {@code headrace}
 * @param parameters the cell's coordinates, such as threads and batch size
 * @param unit the unit of the samples
 * @param samples one per round, or every raw sample, in the order of measurement
 */
public record Measurement(
    String question,
    String system,
    Map<String, String> parameters,
    String unit,
    List<Double> samples) {

  /** Copies the collections. */
  public Measurement {
    samples = List.copyOf(samples);
  }

  /** The mean of the samples. */
  public double score() {
    return Samples.mean(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** The median of the samples, with which a cell counts. */
  public double median() {
    return Samples.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
