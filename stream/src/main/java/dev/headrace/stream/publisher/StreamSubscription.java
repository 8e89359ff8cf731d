package dev.headrace.stream.publisher;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.stream.pull.Pulled;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/**
 * One subscription: the drain loop that moves entries from the engine to {@code onNext} against the
 * subscriber's demand.
 *
 * <p>{@code signals} counts the reasons to drain. Whoever raises it from 0 runs the loop on the
 * executor. Everybody else only counts, and the loop repeats until nobody has counted meanwhile. So
 * the loop runs on one thread at a time, no signal is lost, and a {@code request} within {@code
 * onNext} does not recurse. The count begins at 1, which holds the loop back until {@code
 * onSubscribe} has returned.
 *
 * <p>While the stream waits for an answer, an alarm or its executor, these keep the subscription
 * alive. At rest only the subscriber does; when that is garbage, the stream is closed.
 *
 * <p>A {@link StreamIterator} takes the engine in {@code onSubscribe}. Then there is no loop, and
 * signals wake the iterator's thread.
 */
final class StreamSubscription<T> implements PausableSubscription, Runnable {

  private final Pulled<T> engine;
  private final Executor executor;
  private final Executor nodeExecutor;
  private final AtomicInteger signals = new AtomicInteger(1);
  private final AtomicLong demand = new AtomicLong();
  private volatile boolean cancelled;
  private volatile boolean badRequest;
  private boolean fused; // only within onSubscribe
  private Cleaner.@Nullable Cleanable abandoned; // guarded by the drain
  private @Nullable Subscriber<? super T> subscriber; // guarded by the drain
  private boolean started; // guarded by the drain

  /**
   * @param executor runs the drain
   * @param nodeExecutor runs it instead when the executor would run it on a thread of the node's
   *     wire, timer or membership, which user code must not delay
   * @param engine makes the engine, given the signal that schedules its drain
   */
  StreamSubscription(
      Subscriber<? super T> subscriber,
      Executor executor,
      Executor nodeExecutor,
      Function<Runnable, Pulled<T>> engine) {
    this.subscriber = subscriber;
    this.executor = executor;
    this.nodeExecutor = nodeExecutor;
    this.engine = engine.apply(this);
  }

  /** Passes the subscription to its subscriber, then starts the drain. */
  void begin() {
    Subscriber<? super T> target = subscriber;
    if (target == null) {
      throw new IllegalStateException("a subscription begins only once");
    }
    try {
      target.onSubscribe(this);
    } catch (Throwable e) {
      cancelled = true;
      reportUncaught(e);
    }
    if (!fused) {
      abandoned = engine.closeWith(this);
      execute(false);
    }
  }

  /**
   * Gives the engine to a subscriber that pulls it itself. Only within {@code onSubscribe}.
   *
   * @param wake wakes the pulling thread; called on any thread
   */
  Pulled<T> fuse(Runnable wake) {
    fused = true;
    subscriber = null;
    engine.pulledBy(wake);
    return engine;
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      badRequest = true;
    } else {
      demand.accumulateAndGet(n, StreamSubscription::saturatedSum);
    }
    signal();
  }

  private static long saturatedSum(long present, long more) {
    long sum = present + more;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  @Override
  public void cancel() {
    cancelled = true;
    signal();
  }

  @Override
  public void giveBackUnread() {
    engine.giveBackUnread();
  }

  private void signal() {
    signal(false);
  }

  /**
   * The engine's signal. Runs on a thread of the node: of its wire, its timer, or its membership.
   */
  @Override
  public void run() {
    signal(true);
  }

  private void signal(boolean byNode) {
    if (signals.getAndIncrement() == 0) {
      execute(byNode);
    }
  }

  /** Runs the loop on the executor. The caller has raised the count from 0. */
  private void execute(boolean byNode) {
    Drain drain = new Drain(byNode);
    try {
      executor.execute(drain);
    } catch (Throwable e) {
      if (drain.begin()) {
        refuse(byNode, e);
      } else {
        reportUncaught(e); // The executor has run the drain and failed afterwards.
      }
    } finally {
      drain.scheduler = null;
    }
  }

  /** One run of the loop. Running it a second time does nothing. */
  private final class Drain implements Runnable {
    private final AtomicBoolean begun = new AtomicBoolean();

    /** The node's thread that is passing it to the executor at this moment. */
    private volatile @Nullable Thread scheduler;

    Drain(boolean byNode) {
      scheduler = byNode ? Thread.currentThread() : null;
    }

    boolean begin() {
      return begun.compareAndSet(false, true);
    }

    @Override
    public void run() {
      if (!begin()) {
        return;
      }
      if (scheduler == Thread.currentThread()) {
        nodeExecutor.execute(StreamSubscription.this::drain);
      } else {
        drain();
      }
    }
  }

  private void refuse(boolean byNode, Throwable cause) {
    if (byNode) {
      nodeExecutor.execute(() -> refuse(cause));
    } else {
      refuse(cause);
    }
  }

  /**
   * The executor has refused the loop. The stream ends on this thread, so that the subscriber does
   * not wait for ever and the buffers are released.
   */
  private void refuse(Throwable cause) {
    Subscriber<? super T> target = subscriber;
    if (target != null) {
      stop();
      if (!cancelled) {
        signalError(
            target,
            new HeadraceException(
                "The stream's executor refused to run it ("
                    + cause
                    + "): keep the executor running until its streams have ended",
                cause));
      }
    }
    signals.set(0);
  }

  private void drain() {
    try {
      int seen = signals.get();
      do {
        Subscriber<? super T> target = subscriber;
        if (target != null) {
          drain(target);
        }
        seen = signals.addAndGet(-seen);
      } while (seen != 0);
    } finally {
      Reference.reachabilityFence(this); // Its engine must not be closed as garbage meanwhile.
    }
  }

  private void drain(Subscriber<? super T> target) {
    engine.endIfOverdue();
    started |= demand.get() > 0;
    if (!started) {
      engine.plan(); // No request is sent before the first demand.
    } else if (!emit(target)) {
      return;
    }
    if (cancelled) {
      stop();
    } else if (badRequest) {
      stop();
      signalError(
          target,
          new IllegalArgumentException(
              "A subscriber must request at least 1 element (Reactive Streams §3.9)"));
    } else if (engine.isEnded()) {
      stop();
      Throwable failure = engine.failure();
      if (failure == null) {
        signalComplete(target);
      } else {
        signalError(target, failure);
      }
    }
  }

  private boolean isStopped() {
    return cancelled || badRequest;
  }

  /**
   * Emits entries against the demand. Returns false if the subscriber has thrown, which ends the
   * stream.
   */
  private boolean emit(Subscriber<? super T> target) {
    engine.recheck(); // The subscriber's last request may be long ago.
    long emitted = 0;
    long wanted = demand.get();
    while (!isStopped() && engine.isReady()) {
      if (emitted == wanted) {
        wanted = demand.addAndGet(-emitted);
        emitted = 0;
        if (wanted == 0) {
          return true;
        }
      }
      T next = engine.take();
      if (next == null) {
        continue; // It has failed, but may have completed something.
      }
      emitted++;
      try {
        target.onNext(next);
      } catch (Throwable e) {
        cancelled = true;
        stop();
        reportUncaught(e);
        return false;
      }
    }
    demand.addAndGet(-emitted);
    return true;
  }

  private void stop() {
    engine.close();
    if (abandoned != null) {
      abandoned.clean();
    }
    subscriber = null;
  }

  private void signalComplete(Subscriber<? super T> target) {
    try {
      target.onComplete();
    } catch (Throwable e) {
      reportUncaught(e);
    }
  }

  private void signalError(Subscriber<? super T> target, Throwable failure) {
    try {
      target.onError(failure);
    } catch (Throwable e) {
      reportUncaught(e);
    }
  }

  /**
   * A subscriber must not throw (§2.13). If it does, the thread's handler of uncaught exceptions
   * gets it.
   */
  private static void reportUncaught(Throwable thrown) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
  }
}
