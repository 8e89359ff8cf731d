package dev.headrace.benchmarks.harness;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One combination of a JMH benchmark's parameters.
 *
 * @param benchmark the class
 * @param method its benchmark method
 * @param threads measuring threads
 * @param parameters a value for each of the class's parameters that matters
 */
public record JmhCell(
    Class<?> benchmark, String method, int threads, Map<String, String> parameters) {

  /** Copies the parameters. */
  public JmhCell {
    parameters = new LinkedHashMap<>(parameters);
  }

  /** The parameters with the number of threads, as results show them. */
  public Map<String, String> coordinates() {
    Map<String, String> coordinates = new LinkedHashMap<>();
    coordinates.put("threads", Integer.toString(threads));
    coordinates.putAll(parameters);
    return coordinates;
  }
}
