package dev.headrace.benchmarks.security;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.harness.Throughput.Schedule;
import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.PeerFork;
import dev.headrace.benchmarks.peer.TlsFiles;
import dev.headrace.benchmarks.peer.Vantage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The referee of {@code benchmarks/run security}.
 *
 * <p>Two clusters, one without security and one with TLS, have the content of the benchmarks of
 * iteration and operations. Each cell is measured on both within a second or two of each other, in
 * several rounds and in turns; a share is the median over the rounds of the ratio within one round.
 * The final figures are those of a data node, as in the other benchmarks' tables, and the smallest
 * over numbers of threads.
 */
public final class SecurityBenchmark implements AutoCloseable {
  private static final String OFF = "headrace";
  private static final String ON = "headrace-tls";
  private static final int DATA_NODES = 6;
  private static final int ENTRIES = 50_000;
  private static final int VALUE_BYTES = 100;
  private static final int WALKS = 4;
  private static final List<Integer> THREADS = List.of(1, 16);
  private static final int ROUNDS = 4;
  private static final List<String> KEYS =
      List.of(
          "iteration_share",
          "remote_iteration_share",
          "operations_share",
          "get_share",
          "put_share",
          "remote_get_share",
          "remote_put_share");

  /** What is measured on both clusters; the operation "walk" is a walk over everything. */
  private record Cell(String operation, Vantage vantage, int threads) {}

  private final Options options;
  private final Results results;
  private final PeerFork off;
  private final PeerFork on;

  private SecurityBenchmark(Options options) {
    this.options = options;
    results = new Results("security", options.quick());
    Path files = Path.of("benchmarks", "target", "security").toAbsolutePath();
    TlsFiles.make(files);
    off = PeerFork.start(Contender.HEADRACE, DATA_NODES);
    results.version(OFF, off.started()); // one after the other, as both look for free ports
    on = PeerFork.startEncrypted(Contender.HEADRACE, DATA_NODES, files);
    results.version(ON, on.started());
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    Options options = Options.parse(arguments, List.of(OFF, ON));
    try (SecurityBenchmark benchmark = new SecurityBenchmark(options)) {
      benchmark.run();
    }
  }

  private void run() {
    off.load(ENTRIES, VALUE_BYTES);
    on.load(ENTRIES, VALUE_BYTES);
    List<Cell> cells = cells();
    Schedule warmUp = new Schedule(0, 1, options.quick() ? 1200 : 2000);
    Schedule round = new Schedule(300, 2, options.quick() ? 400 : 600);
    for (Cell cell : cells) {
      rates(off, cell, warmUp);
      rates(on, cell, warmUp);
    }
    Table table = new Table(3, "operation", "from", "threads", "off", "tls", "share");
    for (Cell cell : cells) {
      measure(cell, round, table);
    }
    System.out.println(table);
    results.write(options.output());
    System.out.println(results.summary(KEYS));
  }

  private static List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Vantage vantage : Vantage.values()) {
      cells.add(new Cell("walk", vantage, WALKS));
      for (int threads : THREADS) {
        cells.add(new Cell("get", vantage, threads));
        cells.add(new Cell("put", vantage, threads));
      }
    }
    return cells;
  }

  private static double[] rates(PeerFork fork, Cell cell, Schedule schedule) {
    return cell.operation().equals("walk")
        ? fork.iterate(cell.vantage(), "default", 0, cell.threads(), schedule)
        : fork.operate(cell.vantage(), cell.operation(), cell.threads(), schedule);
  }

  private void measure(Cell cell, Schedule schedule, Table table) {
    double[] without = new double[ROUNDS];
    double[] with = new double[ROUNDS];
    double[] shares = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      boolean encryptedFirst = i % 2 == 1;
      if (encryptedFirst) {
        with[i] = sample(on, ON, cell, schedule);
      }
      without[i] = sample(off, OFF, cell, schedule);
      if (!encryptedFirst) {
        with[i] = sample(on, ON, cell, schedule);
      }
      shares[i] = with[i] / without[i];
    }
    double share = Samples.median(shares);
    note(cell, share);
    table.row(
        cell.operation(),
        cell.vantage() == Vantage.OWNER ? "a data node" : "a member without data",
        cell.threads(),
        String.format(Locale.ROOT, "%.0f", Samples.median(without)),
        String.format(Locale.ROOT, "%.0f", Samples.median(with)),
        String.format(Locale.ROOT, "%.2f", share));
  }

  private double sample(PeerFork fork, String system, Cell cell, Schedule schedule) {
    double[] rates = rates(fork, cell, schedule);
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("vantage", cell.vantage().label());
    parameters.put("threads", Integer.toString(cell.threads()));
    parameters.put("valueBytes", Integer.toString(VALUE_BYTES));
    parameters.put("entries", Integer.toString(ENTRIES));
    String unit = cell.operation().equals("walk") ? "entries/s" : "operations/s";
    List<Double> samples = Arrays.stream(rates).boxed().toList();
    results.add(new Measurement(cell.operation(), system, parameters, unit, samples));
    return Samples.mean(rates);
  }

  private void note(Cell cell, double share) {
    boolean remote = cell.vantage() == Vantage.BYSTANDER;
    boolean walk = cell.operation().equals("walk");
    String key = (remote ? "remote_" : "") + (walk ? "iteration" : cell.operation()) + "_share";
    results.lower(key, share);
    if (!walk) {
      results.ratio(key + "_" + cell.threads(), share);
      results.lower("operations_share", share);
    }
  }

  @Override
  public void close() {
    off.close();
    on.close();
  }
}
