package dev.headrace.jcache;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.cache.CacheException;
import javax.cache.integration.CompletionListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one manager: one for asynchronous listeners, so that they hear events in order,
 * and a few that load keys. None is there before it is needed, nor a minute after.
 */
final class ManagerThreads {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerThreads.class);
  private static final int LOADING_THREADS = 4;

  /** If so many tasks wait, the caller runs the next one itself. */
  private static final int MAX_WAITING = 1 << 16;

  private final ThreadPoolExecutor events;
  private final ThreadPoolExecutor loads;

  ManagerThreads() {
    events = threads("headrace-jcache-events", 1, new ThreadPoolExecutor.CallerRunsPolicy());
    // Also when the threads have ended: whoever waits for a load is to hear that it has failed.
    loads = threads("headrace-jcache-loads", LOADING_THREADS, (load, executor) -> load.run());
  }

  private static ThreadPoolExecutor threads(
      String name, int count, RejectedExecutionHandler refused) {
    ThreadFactory factory =
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          thread.setUncaughtExceptionHandler(
              (which, failure) -> LOG.warn("{} has failed", which.getName(), failure));
          return thread;
        };
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(MAX_WAITING),
            factory,
            refused);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Runs tasks one after the other. */
  Executor events() {
    return events;
  }

  /** Loads keys, and tells the listener how it went; if there is none, a failure is logged. */
  void load(PendingLoads.Load load, @Nullable CompletionListener listener) {
    loads.execute(
        () -> {
          CacheException failure = load.run();
          if (listener == null) {
            if (failure != null) {
              LOG.warn("Keys were not loaded, and no listener waits for them", failure);
            }
          } else if (failure == null) {
            listener.onCompletion();
          } else {
            listener.onException(failure);
          }
        });
  }

  /** Ends the threads when they have done what was given to them. */
  void close() {
    events.shutdown();
    loads.shutdown();
  }
}
