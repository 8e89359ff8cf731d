package dev.headrace.benchmarks.bulk;

import dev.headrace.benchmarks.harness.ForkedBenchmark;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One call for {@code keys} keys through six nodes and one that holds nothing; or an operation per
 * key, all of them under way together.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Threads(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class BulkBenchmark extends ForkedBenchmark {

  private static final int DATA_NODES = 6;

  /** Keys of one call. */
  @Param("2000")
  int keys;

  /** Where the call comes from. */
  @Param({BulkCluster.DATA_NODE, BulkCluster.CLIENT})
  String from;

  private BulkCluster cluster;

  /** Starts the nodes and loads a cache. */
  @Setup(Level.Trial)
  public void start() {
    cluster = new BulkCluster(DATA_NODES, keys);
  }

  /** Ends the nodes. */
  @TearDown(Level.Trial)
  public void stop() {
    cluster.close();
  }

  /** An asynchronous read per key. */
  @Benchmark
  public Object gets() {
    return cluster.gets(from);
  }

  /** One bulk read. */
  @Benchmark
  public Object getAll() {
    return cluster.getAll(from);
  }

  /** An asynchronous write per key. */
  @Benchmark
  public void puts() {
    cluster.puts(from);
  }

  /** One bulk write. */
  @Benchmark
  public void putAll() {
    cluster.putAll(from);
  }
}
