package dev.headrace.benchmarks.harness;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets compilers finish before a measurement begins.
 *
 * <p>JMH warms up with as many threads as it measures with. On few cores these leave the compilers
 * so little time that a walk over six nodes is interpreted for ten seconds and more. Here one
 * thread works alone until the compilers are idle.
 */
public final class WarmUp {

  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The longest warm-up, unless the JVM is told otherwise. */
  private static final int MOST_SECONDS = 60;

  /** The longest one of a quick run, which is a glance. */
  private static final int QUICK_SECONDS = 6;

  private static final String MOST = "headrace.warm.seconds";

  /** The compilers must be idle for so long: code that is compiled makes other code hot. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Up to this share of a core is idle. */
  private static final double IDLE_SHARE = 0.1;

  private WarmUp() {}

  /** The argument of a JVM that says how long it may warm up at most. */
  public static String limit(boolean quick) {
    return "-D" + MOST + "=" + mostSeconds(quick);
  }

  /** How long a warm-up lasts at most. */
  public static int mostSeconds(boolean quick) {
    return quick ? QUICK_SECONDS : MOST_SECONDS;
  }

  /**
   * Repeats something until this JVM's compilers have had nothing to do for 2 s, but for {@value
   * #MOST_SECONDS} s at most.
   */
  public static void untilCompiled(Runnable work) {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    int mostSeconds = Integer.getInteger(MOST, MOST_SECONDS);
    untilCompiled(compilers::getTotalCompilationTime, mostSeconds, work);
  }

  /**
   * Repeats something until compilers have had nothing to do for 2 s.
   *
   * @param millis how long the compilers have worked so far, in milliseconds of all of them
   * @param mostSeconds how long it is repeated at most
   */
  public static void untilCompiled(LongSupplier millis, int mostSeconds, Runnable work) {
    long begin = System.nanoTime();
    long mostNanos = TimeUnit.SECONDS.toNanos(mostSeconds);
    long idleNanos = 0;
    while (idleNanos < IDLE_NANOS && System.nanoTime() - begin < mostNanos) {
      long before = millis.getAsLong();
      long start = System.nanoTime();
      long nanos;
      do {
        work.run();
        nanos = System.nanoTime() - start;
      } while (nanos < WINDOW_NANOS);
      long compiledNanos = TimeUnit.MILLISECONDS.toNanos(millis.getAsLong() - before);
      idleNanos = compiledNanos <= nanos * IDLE_SHARE ? idleNanos + nanos : 0;
    }
    System.out.printf("# warm after %.1f s%n", (System.nanoTime() - begin) / 1e9);
  }
}
