package dev.headrace.benchmarks.operations;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.OnCores;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.iteration.PublisherBenchmark;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a second core brings: gets of sixteen threads, and walks of four subscribers at once, in
 * forks that may use one core and in forks that may use two. Everything crosses the wire, and all
 * nodes are in the fork. Stateless.
 */
final class CoreScaling {
  /** Of gets. */
  static final String GETS_KEY = "scaling_two_cores";

  /** Of walks. */
  static final String STREAMS_KEY = "stream_" + GETS_KEY;

  private static final int GETTERS = 16;
  private static final int SUBSCRIBERS = 4;

  private CoreScaling() {}

  /**
   * What is to be measured; nothing if this machine cannot give a fork two cores.
   *
   * @param quick whether to leave out walks
   */
  static List<JmhCell> cells(boolean quick) {
    List<JmhCell> cells = new ArrayList<>();
    if (OnCores.available(2)) {
      cells.addAll(List.of(gets().onCores(1), gets().onCores(2)));
      if (!quick) {
        cells.addAll(List.of(streams().onCores(1), streams().onCores(2)));
      }
    }
    return cells;
  }

  private static JmhCell gets() {
    return new OperationCell(Contender.HEADRACE, Vantage.REMOTE_ONLY, "get", GETTERS).jmh();
  }

  private static JmhCell streams() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("valueBytes", "100");
    parameters.put("entries", "50000");
    parameters.put("batchSize", "4096");
    parameters.put("vantage", Vantage.REMOTE_ONLY.label());
    return new JmhCell(PublisherBenchmark.class, "publisher", SUBSCRIBERS, parameters);
  }

  /** Adds what was measured, and the rates on two cores over those on one. */
  static void draw(JmhRounds rounds, Results results) {
    for (JmhCell cell : cells(false)) {
      boolean stream = cell.benchmark() == PublisherBenchmark.class;
      Map<String, String> coordinates = cell.coordinates();
      coordinates.remove("system");
      results.add(
          stream ? "scaling of walks" : "scaling of gets",
          Contender.HEADRACE.label(),
          coordinates,
          stream ? "walks/s" : "operations/s",
          rounds.scores(cell));
    }
    results.ratio(GETS_KEY, rounds.ratio(gets().onCores(2), gets().onCores(1)));
    results.ratio(STREAMS_KEY, rounds.ratio(streams().onCores(2), streams().onCores(1)));
  }
}
