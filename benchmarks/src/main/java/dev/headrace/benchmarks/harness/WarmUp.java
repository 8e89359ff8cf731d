package dev.headrace.benchmarks.harness;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Lets the JVM's compilers finish before a measurement begins.
 *
 * <p>JMH warms up with as many threads as it measures with. On few cores these leave the compilers
 * so little time that a walk over six nodes is interpreted for ten seconds and more. Here one
 * thread works alone until the compilers are idle.
 */
public final class WarmUp {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int LEAST_WINDOWS = 4;
  private static final int MOST_WINDOWS = 12;

  /** Up to this much compilation in a window counts as idle. */
  private static final long IDLE_MILLIS = 50;

  private WarmUp() {}

  /** Repeats something until the compilers have nothing to do, for 2 to 6 s. */
  public static void untilCompiled(Runnable work) {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    for (int window = 1; window <= MOST_WINDOWS; window++) {
      long before = compilers.getTotalCompilationTime();
      long start = System.nanoTime();
      while (System.nanoTime() - start < WINDOW_NANOS) {
        work.run();
      }
      if (window >= LEAST_WINDOWS && compilers.getTotalCompilationTime() - before <= IDLE_MILLIS) {
        return;
      }
    }
  }
}
