package dev.headrace.benchmarks.harness;

import java.util.Arrays;

/** Arithmetic over lists of measurements. */
public final class Samples {

  private Samples() {}

  /** The mean of at least one number. */
  public static double mean(double... samples) {
    return Arrays.stream(samples)
        .average()
        .orElseThrow(() -> new IllegalArgumentException("There is no mean of no samples"));
  }

  /** The median of at least one number; of an even count, the mean of the middle two. */
  public static double median(double... samples) {
    if (samples.length == 0) {
      throw new IllegalArgumentException("There is no median of no samples");
    }
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
