package dev.headrace.benchmarks.operations;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One cell of the grid.
 *
 * @param system the system to measure
 * @param vantage where the caller stands
 * @param operation {@code get} or {@code put}
 * @param threads callers
 */
public record OperationCell(Contender system, Vantage vantage, String operation, int threads) {

  /** What is measured. */
  public static final List<String> OPERATIONS = List.of("get", "put");

  /** How many callers there are. */
  public static final List<Integer> THREADS = List.of(1, 16);

  /** The same cell of another system; its readers have the only vantage that it knows. */
  OperationCell of(Contender other) {
    return new OperationCell(
        other, other.isEmbedded() ? vantage : Vantage.REMOTE_ONLY, operation, threads);
  }

  /** What {@code get} or {@code put} promises. */
  String guarantee() {
    return operation.equals("get")
        ? "the newest acknowledged value"
        : "acknowledged by " + system.writeGuarantee();
  }

  /** This cell for JMH. */
  public JmhCell jmh() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("system", system.label());
    parameters.put("vantage", vantage.label());
    parameters.put("valueBytes", "100");
    parameters.put("entries", "50000");
    return new JmhCell(OperationsBenchmark.class, operation, threads, parameters);
  }
}
