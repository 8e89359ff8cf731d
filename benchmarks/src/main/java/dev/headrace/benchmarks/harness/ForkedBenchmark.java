package dev.headrace.benchmarks.harness;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * What all of JMH's benchmarks have in common: operations per second, and forks of one heap that
 * make no difference between systems.
 *
 * <p>JMH waits for a second, not half a minute, for threads that systems leave behind.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "-Xms" + dev.headrace.benchmarks.harness.Fork.HEAP,
      "-Xmx" + dev.headrace.benchmarks.harness.Fork.HEAP,
      dev.headrace.benchmarks.harness.Fork.COLLECTOR,
      dev.headrace.benchmarks.harness.Fork.OUT_OF_MEMORY,
      dev.headrace.benchmarks.harness.Fork.IPV4,
      dev.headrace.benchmarks.harness.Fork.ATTACH,
      "-Djmh.shutdownTimeout=1",
      "-Djmh.shutdownTimeout.step=1"
    })
public abstract class ForkedBenchmark {

  /**
   * The heap of a benchmark that holds nothing. With a large one, whatever allocates much would
   * meet memory that nobody has touched yet, time and again, as long as it is measured.
   */
  public static final String SMALL_HEAP = "-Xmx256m";

  /** The collector of all forks, to be named where a benchmark has arguments of its own. */
  public static final String COLLECTOR = dev.headrace.benchmarks.harness.Fork.COLLECTOR;

  /** For subclasses. */
  protected ForkedBenchmark() {}
}
