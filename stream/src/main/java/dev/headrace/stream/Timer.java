package dev.headrace.stream;

/**
 * The clock of the protocols and the only way in which they wait. A port: a cluster runs it on a
 * thread of its own, a simulation on a number that it advances.
 */
public interface Timer {

  /**
   * A monotonic clock in nanoseconds with an arbitrary origin, as {@link System#nanoTime}: only
   * differences mean something.
   */
  long nanoTime();

  /**
   * Runs a task once after a delay, on the timer's thread; the task must be short and must not
   * block.
   *
   * @param delayNanos at least 0
   */
  Cancellable schedule(long delayNanos, Runnable task);

  /** A scheduled task. */
  interface Cancellable {

    /** The task will not start any more, if it has not yet; idempotent, from any thread. */
    void cancel();
  }
}
