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

  /** The longest warm-up, unless the JVM is told otherwise. */
  private static final int MOST_SECONDS = 30;

  /** The longest one of a quick run, which is a glance. */
  private static final int QUICK_SECONDS = 6;

  private static final String MOST = "headrace.warm.seconds";

  /** So many windows in a row must be idle: code that is compiled makes other code hot. */
  private static final int IDLE_WINDOWS = 4;

  /** Up to this much compilation in a window counts as idle. */
  private static final long IDLE_MILLIS = 50;

  private WarmUp() {}

  /** The argument of a JVM that says how long it may warm up at most. */
  public static String limit(boolean quick) {
    return "-D" + MOST + "=" + (quick ? QUICK_SECONDS : MOST_SECONDS);
  }

  /**
   * Repeats something until the compilers have had nothing to do for 2 s, but for {@value
   * #MOST_SECONDS} s at most.
   */
  public static void untilCompiled(Runnable work) {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long begin = System.nanoTime();
    long mostNanos = TimeUnit.SECONDS.toNanos(Integer.getInteger(MOST, MOST_SECONDS));
    int idle = 0;
    while (idle < IDLE_WINDOWS && System.nanoTime() - begin < mostNanos) {
      long before = compilers.getTotalCompilationTime();
      long start = System.nanoTime();
      while (System.nanoTime() - start < WINDOW_NANOS) {
        work.run();
      }
      idle = compilers.getTotalCompilationTime() - before <= IDLE_MILLIS ? idle + 1 : 0;
    }
    System.out.printf("# warm after %.1f s%n", (System.nanoTime() - begin) / 1e9);
  }
}
