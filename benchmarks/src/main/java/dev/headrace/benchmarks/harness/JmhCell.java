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
 * @param jvmOption one more option of the fork's JVM; empty for none
 */
public record JmhCell(
    Class<?> benchmark,
    String method,
    int threads,
    Map<String, String> parameters,
    int cores,
    String jvmOption) {

  /** Copies the parameters. */
  public JmhCell {
    parameters = new LinkedHashMap<>(parameters);
  }

  /** A cell on all cores. */
  public JmhCell(Class<?> benchmark, String method, int threads, Map<String, String> parameters) {
    this(benchmark, method, threads, parameters, 0, "");
  }

  /** The same on some of the machine's cores. */
  public JmhCell onCores(int some) {
    return new JmhCell(benchmark, method, threads, parameters, some, jvmOption);
  }

  /** The same in a JVM with one more option. */
  public JmhCell withJvmOption(String option) {
    return new JmhCell(benchmark, method, threads, parameters, cores, option);
  }

  /** The parameters with threads, cores and the JVM's option, as results show them. */
  public Map<String, String> coordinates() {
    Map<String, String> coordinates = new LinkedHashMap<>();
    coordinates.put("threads", Integer.toString(threads));
    coordinates.putAll(parameters);
    coordinates.putAll(forkParameters());
    return coordinates;
  }

  /** What tells the cell's fork from others with the same parameters. */
  Map<String, String> forkParameters() {
    Map<String, String> own = new LinkedHashMap<>();
    if (cores > 0) {
      own.put("cores", Integer.toString(cores));
    }
    if (!jvmOption.isEmpty()) {
      own.put("jvmOption", jvmOption);
    }
    return own;
  }
}
