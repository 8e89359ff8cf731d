package dev.headrace.benchmarks.operators;

import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.RunningSystem;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** One question about all trades at a time; how many such questions are answered in a second. */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class OperatorsBenchmark extends ForkedBenchmark {

  /** The system. */
  @Param({"headrace", "infinispan", "hazelcast", "ignite", "coherence"})
  String system;

  /** Number of trades. */
  @Param("200000")
  int entries;

  /** Where the caller stands: on a data node, or on a member that holds nothing. */
  @Param("remote-only")
  String vantage;

  /** Data nodes. */
  @Param("6")
  int nodes;

  private RunningSystem running;
  private TradeView trades;
  private long low;
  private long quantity;

  /** Starts the system's cluster, fills it and warms up what is measured. */
  @Setup(Level.Trial)
  public void start(BenchmarkParams measured) {
    running = RunningSystem.startForTrades(system, nodes);
    trades = running.cluster().trades(Vantage.of(vantage));
    trades.load(entries);
    low = IntStream.range(0, entries).filter(i -> Trade.of(i).price() < Trade.LOW_PRICE).count();
    quantity = IntStream.range(0, entries).mapToLong(i -> Trade.of(i).quantity()).sum();
    WarmUp.untilCompiled(question(measured.getBenchmark()));
  }

  private Runnable question(String benchmark) {
    Map<String, Runnable> questions =
        Map.of(
            "filter", this::filter,
            "project", this::project,
            "count", this::count,
            "sumGroups", this::sumGroups);
    return Objects.requireNonNull(
        questions.get(benchmark.substring(benchmark.lastIndexOf('.') + 1)), benchmark);
  }

  /** Ends the cluster. */
  @TearDown(Level.Trial)
  public void stop() {
    running.close();
  }

  private static void require(long expected, long actual) {
    if (expected != actual) {
      throw new WrongContentException(actual + " came where there are " + expected);
    }
  }

  /** Reads one in a hundred. */
  @Benchmark
  public void filter() {
    require(low, trades.filter());
  }

  /** Reads two of four components of all. */
  @Benchmark
  public void project() {
    require(entries, trades.project());
  }

  /** Counts all. */
  @Benchmark
  public void count() {
    require(entries, trades.count());
  }

  /** Adds up one component by another. */
  @Benchmark
  public void sumGroups() {
    require(quantity, trades.sumGroups());
  }
}
