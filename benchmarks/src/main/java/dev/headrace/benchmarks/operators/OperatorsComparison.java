package dev.headrace.benchmarks.operators;

import dev.headrace.benchmarks.changes.ChangesFigures;
import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.iteration.PublisherBenchmark;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code benchmarks/run operators}: plans the rounds, reads JMH's scores, draws the ratios.
 *
 * <p>A ratio is the median over the rounds of the ratio within one round. {@code count_ms} is the
 * time in which a million entries are counted.
 */
public final class OperatorsComparison {

  private static final List<Contender> SYSTEMS =
      List.of(
          Contender.HEADRACE,
          Contender.INFINISPAN,
          Contender.HAZELCAST,
          Contender.IGNITE,
          Contender.COHERENCE);

  /** Those beside which bounds are set; with {@code --quick} only these are asked. */
  private static final Set<Contender> BARS =
      Set.of(Contender.HEADRACE, Contender.INFINISPAN, Contender.HAZELCAST);

  private static final List<String> QUESTIONS = List.of("filter", "project", "count", "sumGroups");

  private static final List<String> KEYS =
      List.of(
          "filter_vs_infinispan",
          "filter_vs_hazelcast",
          "count_ms",
          "sum_vs_infinispan",
          "sum_vs_hazelcast",
          "rails_gain");

  private static final int ENTRIES = 200_000;
  private static final int COUNTED = 1_000_000;
  private static final double MILLIS_PER_SECOND = 1000;

  private final Options options;
  private final Results results;
  private final Participants participants;

  private OperatorsComparison(Options options) {
    this.options = options;
    this.results = new Results("operators", options.quick());
    this.participants = new Participants(SYSTEMS, options, results);
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new OperatorsComparison(Options.parse(arguments, Contender.labels(SYSTEMS))).run();
  }

  private static JmhCell cell(Contender system, String question, int entries) {
    return new JmhCell(
        OperatorsBenchmark.class,
        question,
        1,
        Map.of("system", system.label(), "entries", Integer.toString(entries)));
  }

  /**
   * Walks whose consumers need a microsecond for each entry, in one or in two rails, and in a full
   * run the same content in each form in which a user may have it.
   */
  private List<JmhCell> walks() {
    List<String> ways = new ArrayList<>(List.of("busy", "rails"));
    if (!options.quick()) {
      ways.addAll(List.of("publisher", "flow", "flowable", "iterator"));
    }
    return ways.stream().map(OperatorsComparison::walk).toList();
  }

  private static JmhCell walk(String way) {
    return new JmhCell(
        PublisherBenchmark.class,
        way,
        1,
        Map.of(
            "valueBytes",
            "100",
            "entries",
            "50000",
            "batchSize",
            "4096",
            "vantage",
            Vantage.REMOTE_ONLY.label()));
  }

  private void run() {
    List<JmhCell> cells = new ArrayList<>();
    for (Contender system : SYSTEMS) {
      for (String question : QUESTIONS) {
        boolean figure = question.equals("filter") || question.equals("sumGroups");
        boolean asked = !options.quick() || (figure && BARS.contains(system));
        if (participants.includes(system) && asked) {
          cells.add(cell(system, question, ENTRIES));
        }
      }
    }
    if (participants.includes(Contender.HEADRACE)) {
      cells.add(cell(Contender.HEADRACE, "count", COUNTED));
    }
    List<JmhCell> walks = participants.includes(Contender.HEADRACE) ? walks() : List.of();
    JmhSchedule schedule = options.clusterSchedule();
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.measure(
          options.rounds(),
          Stream.concat(cells.stream(), walks.stream()).toList(),
          cell -> schedule);
      Table table = new Table(2, "question", "system", "entries", "a second");
      report(rounds, cells, "questions/s", table);
      report(rounds, walks, "walks/s", table);
      draw(rounds);
      System.out.println(table);
      rounds.write(options.jmhOutput());
    }
    if (participants.includes(Contender.HEADRACE)) {
      TokenFigures.measure(results);
      ReaderMemoryFigures.measure(options, results);
    }
    new ChangesFigures(options, results, participants).run();
    List<String> keys = new ArrayList<>(KEYS);
    keys.addAll(TokenFigures.KEYS);
    keys.addAll(ChangesFigures.KEYS);
    results.end(options.output(), keys);
  }

  private void report(JmhRounds rounds, List<JmhCell> cells, String unit, Table table) {
    for (JmhCell cell : cells) {
      Map<String, String> coordinates = cell.coordinates();
      String system = coordinates.getOrDefault("system", Contender.HEADRACE.label());
      coordinates.remove("system");
      results.add(cell.method(), system, coordinates, unit, rounds.scores(cell));
      table.row(
          cell.method(),
          system,
          String.valueOf(coordinates.get("entries")),
          String.format(Locale.ROOT, "%.1f", rounds.median(cell)));
    }
  }

  private void draw(JmhRounds rounds) {
    for (Contender other : SYSTEMS.subList(1, SYSTEMS.size())) {
      for (String question : QUESTIONS) {
        double ratio =
            rounds.ratio(
                cell(Contender.HEADRACE, question, ENTRIES), cell(other, question, ENTRIES));
        if (!Double.isNaN(ratio)) {
          String key = question.equals("sumGroups") ? "sum" : question;
          results.ratio(key + "_vs_" + other.label(), ratio);
        }
      }
    }
    JmhCell counted = cell(Contender.HEADRACE, "count", COUNTED);
    if (rounds.has(counted)) {
      results.ratio("count_ms", MILLIS_PER_SECOND / rounds.median(counted));
    }
    double gain = rounds.ratio(walk("rails"), walk("busy"));
    if (!Double.isNaN(gain)) {
      results.ratio("rails_gain", gain);
    }
  }
}
