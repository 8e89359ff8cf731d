package dev.headrace.benchmarks.testkit;

import dev.headrace.testkit.TestCluster;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * Starts a cluster for tests until it is settled. A JVM of tests pays once for loading classes, in
 * its first start, which is not measured here; the first sample of a fork is the second start.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Threads(1)
@Fork(5)
@Warmup(iterations = 0)
@Measurement(iterations = 5)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class TestClusterBenchmark {

  /** How many nodes it has. */
  @Param({"1", "3", "5"})
  int nodes;

  private TestCluster cluster;

  /** The first start of the JVM. */
  @Setup(Level.Trial)
  public void loadClasses() {
    TestCluster.of(nodes).start().close();
  }

  /** Prepares a cluster, of which nothing is started. */
  @Setup(Level.Invocation)
  public void prepare() {
    cluster = TestCluster.of(nodes);
  }

  /** Starts all nodes and waits until every segment has its copies. */
  @Benchmark
  public TestCluster start() {
    return cluster.start();
  }

  /** Ends the nodes. */
  @TearDown(Level.Invocation)
  public void close() {
    cluster.close();
  }
}
