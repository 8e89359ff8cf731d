package dev.headrace.benchmarks.http;

import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.http.client.LatencyHistogram;
import dev.headrace.benchmarks.http.client.LoadOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one system has shown at one rate, in slices that took turns with those of the other system.
 * Not thread safe.
 */
final class EntitySlices {
  private final List<Slice> slices = new ArrayList<>();

  /**
   * One slice.
   *
   * @param outcome what the client saw
   * @param cpuSeconds CPU time of all nodes meanwhile
   */
  record Slice(LoadOutcome outcome, double cpuSeconds) {

    /** CPU time of all nodes for each request. */
    double cpuMicros() {
      return cpuSeconds * 1e6 / outcome.answered();
    }

    /** CPU time of the client for each request. */
    double clientMicros() {
      return outcome.cpuSeconds() * 1e6 / outcome.answered();
    }
  }

  void add(Slice slice) {
    slices.add(slice);
  }

  /** A figure of each slice, in order. */
  double[] samples(ToDoubleFunction<Slice> figure) {
    return slices.stream().mapToDouble(figure).toArray();
  }

  /** The median over the slices of a percentile, in milliseconds. */
  double millis(double percent) {
    return Samples.median(samples(slice -> slice.outcome().latencies().millis(percent)));
  }

  /** The median over the slices of the nodes' CPU time for each request. */
  double cpuMicros() {
    return Samples.median(samples(Slice::cpuMicros));
  }

  /** The latencies of all slices together. */
  LatencyHistogram all() {
    LatencyHistogram all = new LatencyHistogram();
    slices.forEach(slice -> all.add(slice.outcome().latencies()));
    return all;
  }
}
