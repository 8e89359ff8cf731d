package dev.headrace.benchmarks.conditions;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code benchmarks/run conditions}: how systems fare where they are not at their best. */
public final class ConditionsComparison {

  private static final List<Contender> SYSTEMS =
      List.of(
          Contender.HEADRACE,
          Contender.INFINISPAN,
          Contender.HAZELCAST,
          Contender.REDIS,
          Contender.IGNITE,
          Contender.COHERENCE);

  /** Of a cold JVM's walks, those of the first ten seconds. */
  private static final int FIRST_ITERATIONS = 5;

  private static final List<String> KEYS =
      List.of(
          "busy_walks_vs_infinispan",
          "busy_walks_vs_hazelcast",
          "busy_gets_vs_infinispan",
          "busy_gets_vs_hazelcast",
          "cold_walks_vs_infinispan",
          "cold_walks_vs_hazelcast",
          "one_node_vs_infinispan",
          "two_nodes_vs_infinispan",
          "large_values_vs_infinispan",
          "large_regions_vs_infinispan",
          "many_entries_vs_infinispan");

  private final Options options;
  private final Results results;
  private final Participants participants;

  private ConditionsComparison(Options options) {
    this.options = options;
    this.results = new Results("conditions", options.quick());
    this.participants = new Participants(SYSTEMS, options, results);
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new ConditionsComparison(Options.parse(arguments, Contender.labels(SYSTEMS))).run();
  }

  private void run() {
    Map<JmhCell, JmhSchedule> schedules = new LinkedHashMap<>();
    Map<JmhCell, JmhSchedule> ofPeers = new LinkedHashMap<>(); // which they may not hold
    for (Condition condition : conditions()) {
      for (Contender system : systems(condition)) {
        boolean may = condition == Condition.MANY_ENTRIES && system != Contender.HEADRACE;
        (may ? ofPeers : schedules).put(condition.cell(system), condition.schedule(options));
      }
    }
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.measure(options.rounds(), List.copyOf(schedules.keySet()), schedules::get);
      rounds.attempt(List.copyOf(ofPeers.keySet()), ofPeers::get);
      Table table = new Table(3, "condition", "system", "unit", "rate");
      for (Condition condition : conditions()) {
        report(rounds, condition, table);
      }
      System.out.println(table);
      rounds.write(options.jmhOutput());
    }
    results.end(options.output(), KEYS);
  }

  private List<Condition> conditions() {
    List<Condition> all = new ArrayList<>(Arrays.asList(Condition.values()));
    if (options.quick()) {
      // The quiet ones only stand beside the busy ones, and ten million entries take too long.
      all.removeAll(List.of(Condition.QUIET_WALKS, Condition.QUIET_GETS, Condition.MANY_ENTRIES));
    }
    return all;
  }

  /** A quick run has Headrace and Infinispan. */
  private List<Contender> systems(Condition condition) {
    return SYSTEMS.stream()
        .filter(participants::includes)
        .filter(condition::concerns)
        .filter(system -> !options.quick() || SYSTEMS.indexOf(system) < 2)
        .toList();
  }

  private void report(JmhRounds rounds, Condition condition, Table table) {
    for (Contender system : systems(condition)) {
      double[] rates = rates(rounds, condition, system);
      Map<String, String> coordinates = condition.cell(system).coordinates();
      coordinates.remove("system");
      condition.guarantee(system).ifPresent(promise -> coordinates.put("guarantee", promise));
      results.add(condition.label(), system.label(), coordinates, condition.unit(), rates);
      table.row(
          condition.label(),
          system.label(),
          condition.unit(),
          rates.length == 0 ? "none" : String.format(Locale.ROOT, "%,.0f", median(rates)));
      if (condition == Condition.COLD_WALKS) {
        reportSeconds(rounds, system);
      }
      if (system != Contender.HEADRACE && rates.length > 0) {
        double ours = median(rates(rounds, condition, Contender.HEADRACE));
        results.ratio(condition.label() + "_vs_" + system.label(), ours / median(rates));
      }
    }
  }

  /** Rates by rounds; of a cold JVM those of its first ten seconds. */
  private static double[] rates(JmhRounds rounds, Condition condition, Contender system) {
    JmhCell cell = condition.cell(system);
    double[] scores =
        condition == Condition.COLD_WALKS
            ? rounds.iterations(cell).stream()
                .mapToDouble(all -> Arrays.stream(all).limit(FIRST_ITERATIONS).average().orElse(0))
                .toArray()
            : rounds.scores(cell);
    return Arrays.stream(scores).map(score -> score * condition.entriesPerOperation()).toArray();
  }

  /** The whole minute of the first round, two seconds a sample. */
  private void reportSeconds(JmhRounds rounds, Contender system) {
    List<double[]> forks = rounds.iterations(Condition.COLD_WALKS.cell(system));
    if (!forks.isEmpty()) {
      int entries = Condition.COLD_WALKS.entriesPerOperation();
      results.add(
          "cold_walks_by_2_s",
          system.label(),
          Map.of(),
          Condition.COLD_WALKS.unit(),
          Arrays.stream(forks.get(0)).map(score -> score * entries).toArray());
    }
  }

  private static double median(double[] rates) {
    return rates.length == 0 ? Double.NaN : Samples.median(rates);
  }
}
