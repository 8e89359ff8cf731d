package dev.headrace.cluster.cache;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor that a user has given, and the node's where that one refuses a task, or runs it at
 * once: user code would run on one of the node's threads. A task is run once, whether the executor
 * runs it twice, or runs it and then throws. Thread-safe.
 */
public final class UserExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(UserExecutor.class);

  private final Executor ofUser;
  private final Executor ofNode;
  private final String givenTo;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @param ofUser what was given
   * @param ofNode the node's executor for what may call user code
   * @param givenTo to what it was given, for the log
   */
  public UserExecutor(Executor ofUser, Executor ofNode, String givenTo) {
    this.ofUser = ofUser;
    this.ofNode = ofNode;
    this.givenTo = givenTo;
  }

  @Override
  public void execute(Runnable task) {
    give(prepare(task));
  }

  /** A task that this thread will {@link #give} at once, unless it has it run {@code instead}. */
  public HandOver prepare(Runnable task) {
    return new HandOver(task);
  }

  /** Gives a task to the user's executor. */
  public void give(HandOver task) {
    try {
      ofUser.execute(task);
    } catch (RuntimeException | Error refused) { // of an executor that is closed, full or broken
      warn(refused);
      task.instead();
    } finally {
      task.over();
    }
  }

  /** Tells once that tasks run on other threads than the user wants. */
  private void warn(Throwable refused) {
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "The executor of {} refuses its work, which the node's own threads do instead: keep it"
              + " open, with room for its tasks, as long as it is used",
          givenTo,
          refused);
    }
  }

  /**
   * One task for the user's executor. Each has its own: while one thread still returns from the
   * executor, another one may be giving it the next task.
   */
  public final class HandOver implements Runnable {
    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();

    /** The thread that is giving it to the executor; null when it has done so. */
    private volatile @Nullable Thread giving = Thread.currentThread();

    private HandOver(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (Thread.currentThread() == giving) {
        instead();
      } else if (begun.compareAndSet(false, true)) {
        task.run();
      }
    }

    /** Has the node's executor run it, unless it runs already. */
    public void instead() {
      if (begun.compareAndSet(false, true)) {
        ofNode.execute(task);
      }
    }

    private void over() {
      giving = null;
    }
  }
}
