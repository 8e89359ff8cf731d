package dev.headrace.stream;

/**
 * The clock of the protocols, and their only way to wait. A port: the cluster implements it with a
 * thread, a simulation with a number that it advances.
 */
public interface Timer {

  /**
   * A monotonic clock in nanoseconds with an arbitrary origin. As with {@link System#nanoTime},
   * only differences are meaningful.
   */
  long nanoTime();

  /**
   * Runs a task once after a delay, on the timer's thread. The task must be short and must not
   * block.
   *
   * @param delayNanos at least 0
   */
  Cancellable schedule(long delayNanos, Runnable task);

  /** A scheduled task. */
  interface Cancellable {

    /**
     * Prevents the task from starting, unless it has started. Idempotent; may be called from any
     * thread.
     */
    void cancel();
  }
}
