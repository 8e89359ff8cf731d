package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One cell of the grid over one set of entries.
 *
 * @param system the system to measure
 * @param mode its way to walk
 * @param batchEntries batch size in entries, 0 for the system's default
 * @param threads walks at the same time
 * @param vantage where the readers stand
 */
record IterationCell(
    Contender system, String mode, int batchEntries, int threads, Vantage vantage) {

  /**
   * Whether a walk delivers nothing for a while and then everything, so that it needs a longer
   * look.
   */
  boolean isBursty() {
    return mode.equals("entry-set");
  }

  /** The cell's coordinates for the result file. */
  Map<String, String> parameters(EntrySet entries) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("mode", mode);
    parameters.put("batch", batchEntries == 0 ? "default" : Integer.toString(batchEntries));
    parameters.put("threads", Integer.toString(threads));
    parameters.put("valueBytes", Integer.toString(entries.valueBytes()));
    parameters.put("entries", Integer.toString(entries.count()));
    parameters.put("vantage", vantage.label());
    return parameters;
  }
}
