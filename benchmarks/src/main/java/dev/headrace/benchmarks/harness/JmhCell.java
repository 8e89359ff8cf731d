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
 * @param cores how many of the machine's cores the fork may use; 0 for all
 */
public record JmhCell(
    Class<?> benchmark, String method, int threads, Map<String, String> parameters, int cores) {

  /** Copies the parameters. */
  public JmhCell {
    parameters = new LinkedHashMap<>(parameters);
  }

  /** A cell on all cores. */
  public JmhCell(Class<?> benchmark, String method, int threads, Map<String, String> parameters) {
    this(benchmark, method, threads, parameters, 0);
  }

  /** The same on some of the machine's cores. */
  public JmhCell onCores(int some) {
    return new JmhCell(benchmark, method, threads, parameters, some);
  }

  /** The parameters with the numbers of threads and of cores, as results show them. */
  public Map<String, String> coordinates() {
    Map<String, String> coordinates = new LinkedHashMap<>();
    coordinates.put("threads", Integer.toString(threads));
    coordinates.putAll(parameters);
    if (cores > 0) {
      coordinates.put("cores", Integer.toString(cores));
    }
    return coordinates;
  }
}
