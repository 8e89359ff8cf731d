package dev.headrace.benchmarks.security;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.iteration.IterationBenchmark;
import dev.headrace.benchmarks.operations.OperationCell;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code benchmarks/run security}: Headrace without and with TLS, over the content of the
 * comparisons of iteration and operations, and with their JMH benchmarks.
 *
 * <p>A share is the median over the rounds of the ratio within one round. The final figures are
 * those of a data node, as in the other tables, and the smallest over numbers of threads.
 */
public final class SecurityComparison {
  private static final String WALK = "walk";
  private static final int WALKS = 4;
  private static final List<Contender> SYSTEMS =
      List.of(Contender.HEADRACE, Contender.HEADRACE_TLS);
  private static final List<String> KEYS =
      List.of(
          "iteration_share",
          "remote_iteration_share",
          "operations_share",
          "get_share",
          "put_share",
          "remote_get_share",
          "remote_put_share");

  /** What is measured of both; the operation "walk" is a walk over everything. */
  private record Cell(String operation, Vantage vantage, int threads) {

    JmhCell jmh(Contender system) {
      if (!operation.equals(WALK)) {
        return new OperationCell(system, vantage, operation, threads).jmh();
      }
      Map<String, String> parameters = new LinkedHashMap<>();
      parameters.put("system", system.label());
      parameters.put("batchSize", "0");
      parameters.put("distribution", "parallel");
      parameters.put("rehashAware", "true");
      parameters.put("valueBytes", "100");
      parameters.put("entries", "50000");
      parameters.put("vantage", vantage.label());
      return new JmhCell(IterationBenchmark.class, "iterate", threads, parameters);
    }

    /** Of a walk JMH counts whole ones. */
    double events() {
      return operation.equals(WALK) ? 50_000 : 1;
    }
  }

  private final Options options;
  private final Results results;

  private SecurityComparison(Options options) {
    this.options = options;
    results = new Results("security", options.quick());
    SYSTEMS.forEach(system -> results.version(system.label(), system.version()));
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new SecurityComparison(Options.parse(arguments, Contender.labels(SYSTEMS))).run();
  }

  private void run() {
    List<Cell> cells = cells();
    JmhSchedule schedule = options.clusterSchedule();
    Table table = new Table(2, "operation", "from", "threads", "off", "tls", "share");
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      List<JmhCell> jmh = new ArrayList<>();
      cells.forEach(
          cell ->
              SYSTEMS.stream()
                  .filter(system -> options.includes(system.label()))
                  .forEach(system -> jmh.add(cell.jmh(system))));
      rounds.measure(options.rounds(), jmh, cell -> schedule);
      cells.forEach(cell -> note(rounds, cell, table));
      rounds.write(options.jmhOutput());
    }
    System.out.println(table);
    results.end(options.output(), KEYS);
  }

  private static List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Vantage vantage : Vantage.values()) {
      cells.add(new Cell(WALK, vantage, WALKS));
      for (int threads : OperationCell.THREADS) {
        for (String operation : OperationCell.OPERATIONS) {
          cells.add(new Cell(operation, vantage, threads));
        }
      }
    }
    return cells;
  }

  private void note(JmhRounds rounds, Cell cell, Table table) {
    boolean walk = cell.operation().equals(WALK);
    for (Contender system : SYSTEMS) {
      Map<String, String> coordinates = cell.jmh(system).coordinates();
      coordinates.remove("system");
      double[] rates = rounds.scores(cell.jmh(system));
      java.util.Arrays.setAll(rates, i -> rates[i] * cell.events());
      String unit = walk ? "entries/s" : "operations/s";
      results.add(cell.operation(), system.label(), coordinates, unit, rates);
    }
    JmhCell off = cell.jmh(Contender.HEADRACE);
    JmhCell on = cell.jmh(Contender.HEADRACE_TLS);
    double share = rounds.ratio(on, off);
    table.row(
        cell.operation(),
        cell.vantage() == Vantage.OWNER ? "a data node" : "a member without data",
        cell.threads(),
        String.format(Locale.ROOT, "%.0f", rounds.median(off) * cell.events()),
        String.format(Locale.ROOT, "%.0f", rounds.median(on) * cell.events()),
        String.format(Locale.ROOT, "%.2f", share));
    if (Double.isNaN(share)) {
      return; // one of them was left out
    }
    boolean remote = cell.vantage() == Vantage.REMOTE_ONLY;
    String key = (remote ? "remote_" : "") + (walk ? "iteration" : cell.operation()) + "_share";
    results.lower(key, share);
    if (!walk) {
      results.ratio(key + "_" + cell.threads(), share);
      results.lower("operations_share", share);
    }
  }
}
