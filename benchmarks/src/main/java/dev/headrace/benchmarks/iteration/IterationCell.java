package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One way of one system to walk over one content.
 *
 * @param system the system to measure
 * @param settings its way to walk
 * @param threads walks at the same time
 * @param vantage where the readers stand
 * @param entries what is walked over
 */
record IterationCell(
    Contender system, WalkSettings settings, int threads, Vantage vantage, EntrySet entries) {

  /** A walk at the system's defaults but for the batch size, by readers on a data node. */
  static IterationCell usual(Contender system, int batchEntries, int threads, EntrySet entries) {
    WalkSettings settings = system.usualWalk().withBatch(batchEntries);
    return new IterationCell(system, settings, threads, Vantage.OWNER, entries);
  }

  IterationCell with(WalkSettings other) {
    return new IterationCell(system, other, threads, vantage, entries);
  }

  IterationCell from(Vantage other) {
    return new IterationCell(system, settings, threads, other, entries);
  }

  IterationCell sequential() {
    return with(new WalkSettings(settings.way(), settings.batchEntries(), true, true));
  }

  boolean isExactlyOnce() {
    return system.hasDistributions() && settings.rehashAware();
  }

  String guarantee() {
    return system.guarantee(settings);
  }

  /** This cell for JMH. */
  JmhCell jmh() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("system", system.label());
    parameters.put("way", settings.way());
    parameters.put("batchSize", Integer.toString(settings.batchEntries()));
    parameters.put(
        "distribution",
        settings.sequential() ? IterationBenchmark.SEQUENTIAL : IterationBenchmark.PARALLEL);
    parameters.put("rehashAware", Boolean.toString(settings.rehashAware()));
    parameters.put("valueBytes", Integer.toString(entries.valueBytes()));
    parameters.put("entries", Integer.toString(entries.count()));
    parameters.put("vantage", vantage.label());
    return new JmhCell(IterationBenchmark.class, "iterate", threads, parameters);
  }

  /** This cell for the results. */
  Results.Subject subject() {
    Map<String, String> coordinates = jmh().coordinates();
    coordinates.remove("system");
    coordinates.put("guarantee", guarantee());
    return new Results.Subject("iterate", system.label(), coordinates);
  }
}
