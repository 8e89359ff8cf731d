package dev.headrace.cluster.membership;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that calls the listener, and its queue. It also runs the tasks that must be in
 * order with these calls. Enqueueing never blocks.
 *
 * <p>A message may overtake the view that contains its sender, because JGroups orders views and
 * messages separately. It is held until that view has been delivered.
 */
final class Deliveries implements Executor {
  /** The most views and messages that wait for the listener. */
  static final int MAX_WAITING = 1 << 20;

  /** The most messages that wait for a view with their sender. Beyond it the oldest is dropped. */
  static final int MAX_EARLY = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);
  private static final long CLOSE_SECONDS = 5;

  private final Runnable overrun;
  private final ThreadPoolExecutor executor;
  private final CountDownLatch opened = new CountDownLatch(1);
  private final CountDownLatch firstView = new CountDownLatch(1);
  private final ArrayDeque<Early> early = new ArrayDeque<>(); // by the executor's thread only
  private Set<NodeId> members = Set.of(); // by the executor's thread only
  private volatile @Nullable MembershipListener listener;
  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  private record Early(NodeId from, Call call) {}

  /**
   * Starts the thread.
   *
   * @param overrun run, perhaps many times, when {@link #MAX_WAITING} calls wait; must not block
   */
  Deliveries(String threadName, Runnable overrun) {
    this.overrun = overrun;
    executor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread created = new Thread(task, threadName);
              created.setDaemon(true);
              thread = created;
              return created;
            });
    executor.execute(this::awaitOpen);
  }

  /** Begins to call the listener, with everything that has come so far first. */
  void open(MembershipListener hearer) {
    listener = hearer;
    opened.countDown();
  }

  /** Waits for the end of the first call of {@link MembershipListener#viewChanged}. */
  boolean awaitFirstView(long timeoutNanos) throws InterruptedException {
    return firstView.await(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  void view(MemberView view) {
    enqueue(() -> deliverView(view));
  }

  void message(NodeId from, byte[] message) {
    enqueue(() -> deliverMessage(from, message));
  }

  @Override
  public void execute(Runnable task) {
    enqueue(() -> call(hearer -> task.run()));
  }

  /** Drops what waits. Waits for a running callback, unless that callback is the caller. */
  void close() {
    closed = true;
    opened.countDown();
    executor.shutdown();
    executor.getQueue().clear();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A membership callback still runs {} s after its node was closed", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void enqueue(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      if (!closed) {
        LOG.error(
            "{} membership callbacks wait for their thread, which is stuck; this node leaves its"
                + " cluster",
            MAX_WAITING);
        overrun.run();
      }
    }
  }

  private void awaitOpen() {
    try {
      opened.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void deliverView(MemberView view) {
    members = Set.copyOf(view.members());
    call(hearer -> hearer.viewChanged(view));
    firstView.countDown();
    for (Iterator<Early> i = early.iterator(); i.hasNext(); ) {
      Early held = i.next();
      if (members.contains(held.from)) {
        i.remove();
        call(held.call);
      }
    }
  }

  private void deliverMessage(NodeId from, byte[] message) {
    Call call = hearer -> hearer.received(from, message);
    if (members.contains(from)) {
      call(call);
      return;
    }
    if (early.size() == MAX_EARLY) {
      early.removeFirst();
      LOG.warn("Dropped the oldest of {} control messages from unknown nodes", MAX_EARLY);
    }
    early.addLast(new Early(from, call));
  }

  private void call(Call call) {
    MembershipListener hearer = listener;
    if (closed || hearer == null) {
      return;
    }
    try {
      call.on(hearer);
    } catch (RuntimeException | Error e) { // the thread must go on
      LOG.error("A membership callback failed; the next one follows", e);
    }
  }

  private interface Call {
    void on(MembershipListener hearer);
  }
}
