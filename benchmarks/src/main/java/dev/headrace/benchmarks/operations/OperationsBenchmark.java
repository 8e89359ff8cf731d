package dev.headrace.benchmarks.operations;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.harness.Throughput.Schedule;
import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.PeerFork;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * The referee of {@code benchmarks/run operations}.
 *
 * <p>All cells are measured in several rounds, each in a new random order; a ratio is the median
 * over the rounds of the ratio within one round. The final figures are of operations that cross the
 * wire, and the smaller of the ratios at one and at sixteen threads.
 */
public final class OperationsBenchmark implements AutoCloseable {

  private static final int DATA_NODES = 6;
  private static final int ENTRIES = 50_000;
  private static final int VALUE_BYTES = 100;
  private static final List<Integer> THREADS = List.of(1, 16);
  private static final List<String> OPERATIONS = List.of("get", "put");

  private record Cell(Contender system, Vantage vantage, String operation, int threads) {}

  private final Options options;
  private final Results results;
  private final Map<Contender, PeerFork> forks = new EnumMap<>(Contender.class);
  private final Map<Cell, List<Double>> scores = new HashMap<>();

  private OperationsBenchmark(Options options) {
    this.options = options;
    this.results = new Results("operations", options.quick());
  }

  /** Runs the benchmark; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    Options options = Options.parse(arguments, Contender.labels());
    try (OperationsBenchmark benchmark = new OperationsBenchmark(options)) {
      benchmark.run();
    }
  }

  private void run() {
    start();
    List<Cell> cells = cells();
    Random random = new Random();
    Schedule warmup = options.quick() ? new Schedule(0, 1, 1500) : new Schedule(0, 1, 3000);
    cells.forEach(cell -> rates(cell, warmup));
    Schedule schedule = options.quick() ? new Schedule(300, 2, 500) : new Schedule(500, 2, 800);
    int rounds = 4;
    for (int i = 0; i < rounds; i++) {
      Collections.shuffle(cells, random);
      cells.forEach(cell -> measure(cell, schedule));
    }
    draw();
    System.out.println(table(cells));
    results.write(options.output());
    System.out.println(
        results.summary(
            List.of(
                "remote_get_vs_infinispan",
                "remote_get_vs_hazelcast",
                "remote_put_vs_infinispan",
                "remote_put_vs_hazelcast")));
  }

  private void start() {
    for (Contender contender : Contender.values()) {
      if (options.includes(contender.label())) {
        forks.put(contender, PeerFork.start(contender, DATA_NODES));
      }
    }
    forks.forEach((contender, fork) -> results.version(contender.label(), fork.started()));
    forks.values().forEach(fork -> fork.load(ENTRIES, VALUE_BYTES));
  }

  private List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Contender system : forks.keySet()) {
      for (Vantage vantage : Vantage.values()) {
        for (String operation : OPERATIONS) {
          for (int threads : THREADS) {
            cells.add(new Cell(system, vantage, operation, threads));
          }
        }
      }
    }
    return cells;
  }

  private double[] rates(Cell cell, Schedule schedule) {
    PeerFork fork = forks.get(cell.system());
    if (fork == null) {
      throw new IllegalStateException("No fork runs " + cell.system().label());
    }
    return fork.operate(cell.vantage(), cell.operation(), cell.threads(), schedule);
  }

  private void measure(Cell cell, Schedule schedule) {
    double[] rates = rates(cell, schedule);
    scores.computeIfAbsent(cell, c -> new ArrayList<>()).add(Samples.mean(rates));
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("vantage", cell.vantage().label());
    parameters.put("threads", Integer.toString(cell.threads()));
    parameters.put("valueBytes", Integer.toString(VALUE_BYTES));
    parameters.put("entries", Integer.toString(ENTRIES));
    List<Double> samples = Arrays.stream(rates).boxed().toList();
    results.add(
        new Measurement(
            cell.operation(), cell.system().label(), parameters, "operations/s", samples));
  }

  private void draw() {
    for (Contender other : List.of(Contender.INFINISPAN, Contender.HAZELCAST)) {
      if (!forks.containsKey(other) || !forks.containsKey(Contender.HEADRACE)) {
        continue; // left out by --only
      }
      for (String operation : OPERATIONS) {
        for (Vantage vantage : Vantage.values()) {
          String key =
              (vantage == Vantage.BYSTANDER ? "remote_" : "") + operation + "_vs_" + other.label();
          double smaller = Double.POSITIVE_INFINITY;
          for (int threads : THREADS) {
            double ratio = ratio(other, vantage, operation, threads);
            results.ratio(key + "_" + threads, ratio);
            smaller = Math.min(smaller, ratio);
          }
          results.ratio(key, smaller);
        }
      }
    }
  }

  private double ratio(Contender other, Vantage vantage, String operation, int threads) {
    List<Double> ours =
        scores.getOrDefault(new Cell(Contender.HEADRACE, vantage, operation, threads), List.of());
    List<Double> theirs =
        scores.getOrDefault(new Cell(other, vantage, operation, threads), List.of());
    double[] ratios = new double[ours.size()];
    Arrays.setAll(ratios, i -> ours.get(i) / theirs.get(i));
    return Samples.median(ratios);
  }

  private String table(List<Cell> cells) {
    Table table = new Table(3, "operation", "from", "system", "threads", "operations/s");
    cells.sort(
        java.util.Comparator.comparing(Cell::operation)
            .thenComparing(Cell::vantage)
            .thenComparing(Cell::threads)
            .thenComparing(Cell::system));
    for (Cell cell : cells) {
      List<Double> rounds = scores.getOrDefault(cell, List.of());
      double median = Samples.median(rounds.stream().mapToDouble(x -> x).toArray());
      table.row(
          cell.operation(),
          cell.vantage() == Vantage.OWNER ? "a data node" : "a member without data",
          cell.system().label(),
          cell.threads(),
          String.format(Locale.ROOT, "%.0f", median));
    }
    return table.toString();
  }

  @Override
  public void close() {
    forks.values().forEach(PeerFork::close);
  }
}
