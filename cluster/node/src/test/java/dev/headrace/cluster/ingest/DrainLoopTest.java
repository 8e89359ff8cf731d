package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.cache.UserExecutor;
import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.stream.Timer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Which executor runs a sink's loop, and that exactly one thread does, whatever executors do. */
class DrainLoopTest {
  private final Queue<Runnable> ofNode = new ConcurrentLinkedQueue<>();
  private final AtomicInteger passes = new AtomicInteger();

  private final Timer timer =
      new Timer() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
          throw new AssertionError("nothing waits here");
        }
      };

  private DrainLoop loop(Executor executor) {
    return new DrainLoop(timer, ofNode::add, executor, passes::incrementAndGet);
  }

  private void runTasksOfNode() {
    for (Runnable task = ofNode.poll(); task != null; task = ofNode.poll()) {
      task.run();
    }
  }

  @Test
  void anExecutorThatRunsTasksAtOnceIsReplacedByThatOfTheNode() {
    loop(Runnable::run).schedule();

    assertThat(passes.get()).as("on the thread that has asked").isZero();
    runTasksOfNode();
    assertThat(passes.get()).isEqualTo(1);
  }

  @Test
  void itIsReplacedAlsoWhileAnotherThreadReturnsFromThatExecutor() throws Exception {
    AtomicReference<DrainLoop> loop = new AtomicReference<>();
    CountDownLatch secondIsGiven = new CountDownLatch(1);
    AtomicInteger given = new AtomicInteger();
    Thread first = new Thread(() -> loop.get().schedule());
    Thread second = new Thread(() -> loop.get().schedule());
    loop.set(
        loop(
            task -> {
              if (given.getAndIncrement() == 0) {
                onAnotherThread(task);
                second.start();
                await(secondIsGiven);
              } else {
                secondIsGiven.countDown();
                join(first);
                task.run();
              }
            }));

    first.start();
    join(first);
    join(second);

    assertThat(given.get()).isEqualTo(2);
    assertThat(passes.get()).as("the second not on the thread that has asked").isEqualTo(1);
    runTasksOfNode();
    assertThat(passes.get()).isEqualTo(2);
  }

  @Test
  void anExecutorThatRefusesIsReplacedByThatOfTheNode() {
    for (Throwable refusal :
        List.of(
            new RejectedExecutionException("full"),
            new IllegalStateException("broken"),
            new LinkageError("half of the classes are missing"))) {
      passes.set(0);
      DrainLoop loop =
          loop(
              task -> {
                if (refusal instanceof Error error) {
                  throw error;
                }
                throw (RuntimeException) refusal;
              });

      try (RecordedLog log = RecordedLog.of(UserExecutor.class)) {
        loop.schedule();
        runTasksOfNode();
        loop.schedule();
        runTasksOfNode();

        assertThat(passes.get()).isEqualTo(2);
        assertThat(log.warnings()).as("once").hasSize(1);
      }
    }
  }

  @Test
  void aTaskThatIsRunTwiceRunsTheLoopOnce() {
    Queue<Runnable> given = new ArrayDeque<>();
    DrainLoop loop = loop(given::add);
    loop.schedule();
    Runnable task = given.remove();

    onAnotherThread(task);
    loop.schedule();
    onAnotherThread(task); // it has had its run; the next one has a task of its own

    assertThat(passes.get()).isEqualTo(1);
    onAnotherThread(given.remove());
    assertThat(passes.get()).isEqualTo(2);
  }

  @Test
  void anExecutorThatTakesATaskAndThrowsAllTheSameRunsTheLoopOnce() {
    Queue<Runnable> given = new ArrayDeque<>();
    DrainLoop loop =
        loop(
            task -> {
              given.add(task);
              throw new IllegalStateException("but it was queued");
            });

    loop.schedule();
    runTasksOfNode();
    onAnotherThread(given.remove());

    assertThat(passes.get()).isEqualTo(1);
  }

  @Test
  void whatAnExecutorNeverRunsIsTakenOverByThatOfTheNode() {
    Queue<Runnable> given = new ArrayDeque<>();
    DrainLoop loop = loop(given::add);
    loop.schedule();

    loop.takeOver();
    runTasksOfNode();

    assertThat(passes.get()).isEqualTo(1);
    onAnotherThread(given.remove());
    assertThat(passes.get()).as("what was queued has had its run").isEqualTo(1);
  }

  @Test
  void afterTheTakingOverTheExecutorGetsNothingAnyMore() {
    Queue<Runnable> dropped = new ArrayDeque<>();
    DrainLoop loop = loop(dropped::add);

    loop.takeOver();
    runTasksOfNode();
    assertThat(passes.get()).isEqualTo(1);
    loop.schedule();
    runTasksOfNode();

    assertThat(passes.get()).isEqualTo(2);
    assertThat(dropped).isEmpty();
  }

  @Test
  void aRunThatHasBegunIsNotTakenOverButFollowedByAnother() {
    AtomicReference<DrainLoop> loop = new AtomicReference<>();
    Queue<Runnable> given = new ArrayDeque<>();
    loop.set(
        new DrainLoop(
            timer,
            ofNode::add,
            given::add,
            () -> {
              if (passes.incrementAndGet() == 1) {
                loop.get().takeOver();
              }
            }));

    loop.get().schedule();
    onAnotherThread(given.remove());

    assertThat(passes.get()).isEqualTo(2);
    assertThat(ofNode).isEmpty();
  }

  private static void onAnotherThread(Runnable task) {
    Thread thread = new Thread(task);
    thread.start();
    join(thread);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
