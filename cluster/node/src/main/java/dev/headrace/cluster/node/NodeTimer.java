package dev.headrace.cluster.node;

import dev.headrace.stream.Timer;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The machine's monotonic clock, and the node's one timer thread. */
record NodeTimer(ScheduledExecutorService scheduler) implements Timer {

  private static final Logger LOG = LoggerFactory.getLogger(NodeTimer.class);

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    try {
      Future<?> future = scheduler.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closed) {
      // Once the node is closed, no task waits for a time; callers are told by the close.
      return () -> {};
    }
  }

  /** Logs a failure, which would disappear in a future that no thread reads. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("A delayed task failed", e);
    }
  }
}
