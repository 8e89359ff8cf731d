package dev.headrace.benchmarks.harness;

import java.io.File;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;

/**
 * Lets forks use only some of the machine's cores, by {@code taskset}. Their JVM takes that for the
 * whole machine. It measures nothing; a profiler is what may change the command line of a fork. By
 * hand: {@code -prof dev.headrace.benchmarks.harness.OnCores:1}.
 */
public final class OnCores implements ExternalProfiler {
  private final String cores;

  /**
   * Called by JMH.
   *
   * @param count how many of the cores that this process may use, the first ones
   * @throws ProfilerException if there are not so many, or no {@code taskset}
   */
  public OnCores(String count) throws ProfilerException {
    List<String> usable = AllowedCores.list();
    int wanted = Integer.parseInt(count);
    if (wanted < 1 || wanted > usable.size()) {
      throw new ProfilerException(
          "A fork on %d cores cannot be had: taskset offers %s".formatted(wanted, usable));
    }
    cores = String.join(",", usable.subList(0, wanted));
  }

  /** Whether forks can have so many cores. */
  public static boolean available(int count) {
    return AllowedCores.list().size() >= count;
  }

  @Override
  public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
    return List.of("taskset", "-c", cores);
  }

  @Override
  public Collection<String> addJVMOptions(BenchmarkParams params) {
    return List.of();
  }

  @Override
  public void beforeTrial(BenchmarkParams params) {}

  @Override
  @SuppressWarnings("rawtypes") // JMH's own signature
  public Collection<? extends Result> afterTrial(
      BenchmarkResult result, long pid, File out, File err) {
    return List.of();
  }

  @Override
  public boolean allowPrintOut() {
    return true;
  }

  @Override
  public boolean allowPrintErr() {
    return true;
  }

  @Override
  public String getDescription() {
    return "Lets forks use only some of the machine's cores";
  }
}
