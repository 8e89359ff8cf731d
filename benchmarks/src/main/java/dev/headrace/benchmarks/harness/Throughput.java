package dev.headrace.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures how many events per second a number of threads get done.
 *
 * <p>The threads run without a pause from the warm-up to the end of the last window; the caller's
 * thread reads their counts at the edges of the windows. A pass that lasts longer than a window is
 * therefore counted in every window by what it did there, and no pass is cut short inside one.
 */
public final class Throughput {

  private Throughput() {}

  /** The work of one thread. */
  public interface Task {
    /** Does one pass, counting each event; returns early when the meter says so. */
    void run(Meter meter) throws Exception;
  }

  /**
   * How long to measure.
   *
   * @param warmupMillis time before the first window
   * @param windows number of measured windows
   * @param windowMillis length of a window
   */
  public record Schedule(int warmupMillis, int windows, int windowMillis) {

    /** Adds this schedule to a command. */
    public HarnessMessage addTo(HarnessMessage command) {
      return command
          .with("warmup", warmupMillis)
          .with("windows", windows)
          .with("window", windowMillis);
    }

    /** Reads the schedule of a command. */
    public static Schedule of(HarnessMessage command) {
      return new Schedule(
          command.whole("warmup"), command.whole("windows"), command.whole("window"));
    }
  }

  /**
   * Runs the task again and again on each thread and samples the rate.
   *
   * @return events per second of all threads together, one number per window
   * @throws IllegalStateException if a task failed; the cause is its exception
   */
  public static double[] measure(int threads, Schedule schedule, Task task)
      throws InterruptedException {
    Meter.Shared shared = new Meter.Shared(threads);
    Failure failure = new Failure();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Meter meter = shared.meter(i);
      Thread thread = new Thread(() -> repeat(task, meter, failure), "consumer-" + i);
      running.add(thread);
      thread.start();
    }
    double[] rates;
    try {
      rates = sample(shared, schedule, failure);
    } finally {
      shared.stop();
      for (Thread thread : running) {
        thread.join();
      }
    }
    failure.rethrow();
    return rates;
  }

  private static double[] sample(Meter.Shared shared, Schedule schedule, Failure failure)
      throws InterruptedException {
    failure.await(schedule.warmupMillis());
    double[] rates = new double[schedule.windows()];
    long countBefore = shared.total();
    long nanosBefore = System.nanoTime();
    for (int i = 0; i < rates.length; i++) {
      failure.await(schedule.windowMillis());
      long count = shared.total();
      long nanos = System.nanoTime();
      rates[i] = (count - countBefore) * 1e9 / (nanos - nanosBefore);
      countBefore = count;
      nanosBefore = nanos;
    }
    return rates;
  }

  private static void repeat(Task task, Meter meter, Failure failure) {
    try {
      while (!meter.stopped()) {
        task.run(meter);
      }
    } catch (Exception | Error e) { // handed to the sampling thread, which throws it
      failure.set(e);
    }
  }

  /** The first failure of any measuring thread; it cuts the measurement short. */
  private static final class Failure {

    private final AtomicReference<Throwable> cause = new AtomicReference<>();
    private final CountDownLatch failed = new CountDownLatch(1);

    void set(Throwable throwable) {
      cause.compareAndSet(null, throwable);
      failed.countDown();
    }

    /** Lets this time pass, or less if a thread fails. */
    void await(int millis) throws InterruptedException {
      if (failed.await(millis, TimeUnit.MILLISECONDS)) {
        rethrow();
      }
    }

    void rethrow() {
      if (cause.get() != null) {
        throw new IllegalStateException("A measured task failed", cause.get());
      }
    }
  }
}
