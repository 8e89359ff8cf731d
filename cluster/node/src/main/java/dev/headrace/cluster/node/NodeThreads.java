package dev.headrace.cluster.node;

import dev.headrace.stream.Timer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a node besides those of its wire and its membership: a timer, one for background
 * work of lanes, one that answers readers of changes, some for user code, and others for functions
 * that streams call here. All are daemons, are named after the node, and end when they have been
 * idle for long.
 */
final class NodeThreads {
  private static final Logger LOG = LoggerFactory.getLogger(NodeThreads.class);
  private static final long IDLE_SECONDS = 30;

  /** The most requests that wait for a thread for functions. */
  static final int MAX_WAITING_CALLS = 4096;

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor lanes;
  private final ThreadPoolExecutor changes;
  private final ThreadPoolExecutor user;
  private final ThreadPoolExecutor functions;

  NodeThreads(String nodeName) {
    timer = new ScheduledThreadPoolExecutor(1, factory(nodeName, "timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    lanes = pool(1, factory(nodeName, "lanes"));
    changes = pool(1, factory(nodeName, "changes"));
    int several = Math.max(2, Runtime.getRuntime().availableProcessors());
    user = pool(several, factory(nodeName, "user"));
    functions =
        pool(several, new LinkedBlockingQueue<>(MAX_WAITING_CALLS), factory(nodeName, "functions"));
  }

  private static ThreadPoolExecutor pool(int threads, ThreadFactory factory) {
    return pool(threads, new LinkedBlockingQueue<>(), factory);
  }

  private static ThreadPoolExecutor pool(
      int threads, BlockingQueue<Runnable> waiting, ThreadFactory factory) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, waiting, factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory factory(String nodeName, String purpose) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread =
          new Thread(task, "headrace-" + nodeName + "-" + purpose + "-" + number.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }

  Timer timer() {
    return new NodeTimer(timer);
  }

  /** Runs tasks one at a time, in order. After {@link #close} it drops them. */
  Executor lanes() {
    return dropping(lanes);
  }

  /** Runs tasks one at a time, in order, and logs what they throw; as {@link #lanes} otherwise. */
  Executor changes() {
    Executor inOrder = dropping(changes);
    return task ->
        inOrder.execute(reporting(task, "A reader of changes got no answer; it asks again"));
  }

  /** Runs tasks that may call user code. After {@link #close} the calling thread runs them. */
  Executor user() {
    return task -> {
      try {
        user.execute(task);
      } catch (RejectedExecutionException closed) {
        task.run();
      }
    };
  }

  /**
   * Runs requests that call functions of users. Refuses them by a {@link
   * RejectedExecutionException} beyond {@link #MAX_WAITING_CALLS}, and after {@link #close}.
   */
  Executor functions() {
    return functions;
  }

  /**
   * Runs a task on the timer's thread again and again until {@link #close}, and logs what it
   * throws.
   *
   * @param delayNanos how long it waits before the first time, and after it has thrown
   * @param task returns how long it waits before the next time, in nanoseconds
   */
  void repeat(long delayNanos, LongSupplier task) {
    runAfter(delayNanos, new Repetition(delayNanos, task));
  }

  private void runAfter(long delayNanos, Repetition repetition) {
    try {
      var unused = timer.schedule(repetition, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      LOG.debug("The node is closed: a periodic task has ended");
    }
  }

  private final class Repetition implements Runnable {
    private final long delayNanos;
    private final LongSupplier task;

    Repetition(long delayNanos, LongSupplier task) {
      this.delayNanos = delayNanos;
      this.task = task;
    }

    @Override
    public void run() {
      long nextNanos = delayNanos;
      try {
        nextNanos = task.getAsLong();
      } catch (RuntimeException | Error e) { // otherwise it would have run for the last time
        LOG.error("A periodic task failed; it runs again", e);
      } finally {
        runAfter(nextNanos, this);
      }
    }
  }

  private static Runnable reporting(Runnable task, String failure) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) { // otherwise its thread would end with it
        LOG.error(failure, e);
      }
    };
  }

  private static Executor dropping(ThreadPoolExecutor pool) {
    return task -> {
      try {
        pool.execute(task);
      } catch (RejectedExecutionException closed) {
        LOG.debug("The node is closed: an event is dropped");
      }
    };
  }

  /**
   * Runs a task once on each thread that runs no user code, for tests.
   *
   * @return how many threads that are
   */
  int onEachOwn(Runnable task) {
    List<ThreadPoolExecutor> own = List.of(timer, lanes, changes);
    own.forEach(pool -> dropping(pool).execute(task));
    return own.size();
  }

  /** Runs a task on each thread for user code as soon as it has nothing else to do, for tests. */
  void onEachOfUsers(Runnable task) {
    for (ThreadPoolExecutor pool : List.of(user, functions)) {
      for (int i = 0; i < pool.getCorePoolSize(); i++) {
        dropping(pool).execute(task);
      }
    }
  }

  /** Lets what has begun end, but interrupts functions, and forgets those that wait. */
  void close() {
    timer.shutdownNow();
    lanes.shutdown();
    changes.shutdown();
    user.shutdown();
    functions.shutdownNow(); // they may block for ever, and nobody wants their results
  }
}
