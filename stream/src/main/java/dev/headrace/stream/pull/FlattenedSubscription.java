package dev.headrace.stream.pull;

import dev.headrace.api.error.HeadraceException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Hands over results one by one against the demand, and asks for the next entry when none is left.
 *
 * <p>{@code signals} counts the reasons to drain, as in {@link StreamSubscription}: whoever raises
 * it from 0 drains, and repeats until nobody has counted meanwhile. The stream's signals come from
 * its executor and drain there; a request has the executor drain. The fields that the drain guards
 * are written before that by the stream's signals, which are serial: while one is handled no other
 * comes, since one entry is asked for at a time.
 *
 * @param <R> a result
 */
final class FlattenedSubscription<R> implements Subscriber<List<R>>, Subscription {
  private final Subscriber<? super R> target;
  private final Executor executor;
  private final AtomicInteger signals = new AtomicInteger();
  private final AtomicLong demand = new AtomicLong();
  private volatile boolean cancelled;
  private volatile boolean badRequest;
  private volatile @Nullable List<R> arrived;
  private volatile boolean complete;
  private @Nullable Throwable failure; // published by complete
  private @Nullable Subscription entries;

  private List<R> results = List.of(); // guarded by the drain
  private int next; // guarded by the drain
  private boolean asked; // guarded by the drain
  private boolean ended; // guarded by the drain

  FlattenedSubscription(Subscriber<? super R> target, Executor executor) {
    this.target = target;
    this.executor = executor;
  }

  @Override
  public void onSubscribe(Subscription offered) {
    entries = offered;
    target.onSubscribe(this);
  }

  @Override
  public void onNext(List<R> ofEntry) {
    arrived = ofEntry;
    drain();
  }

  @Override
  public void onError(Throwable cause) {
    failure = cause;
    complete = true;
    drain();
  }

  @Override
  public void onComplete() {
    complete = true;
    drain();
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      badRequest = true;
    } else {
      demand.accumulateAndGet(
          n, (present, more) -> present + more < 0 ? Long.MAX_VALUE : present + more);
    }
    if (signals.getAndIncrement() == 0) {
      try {
        executor.execute(this::drainUntilSettled);
      } catch (RejectedExecutionException e) {
        refuse(e);
      }
    }
  }

  /** The stream would wait for ever otherwise. */
  private void refuse(RejectedExecutionException cause) {
    upstream().cancel();
    if (!cancelled && !ended) {
      ended = true;
      target.onError(
          new HeadraceException(
              "The stream's executor refused to run it ("
                  + cause
                  + "): keep the executor running until its streams have ended",
              cause));
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    upstream().cancel();
  }

  private Subscription upstream() {
    Subscription from = entries;
    if (from == null) {
      throw new IllegalStateException("a signal before onSubscribe (Reactive Streams §1.9)");
    }
    return from;
  }

  private void drain() {
    if (signals.getAndIncrement() == 0) {
      drainUntilSettled();
    }
  }

  private void drainUntilSettled() {
    int seen = signals.get();
    do {
      if (!ended && !cancelled) {
        step();
      }
      seen = signals.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() {
    if (badRequest) {
      ended = true;
      upstream().cancel();
      target.onError(
          new IllegalArgumentException(
              "A subscriber must request at least 1 element (Reactive Streams §3.9)"));
      return;
    }
    boolean last = complete;
    take();
    long wanted = demand.get();
    long emitted = 0;
    while (next < results.size() && emitted < wanted && !cancelled) {
      emitted++;
      emit(results.get(next++));
    }
    if (emitted > 0 && wanted != Long.MAX_VALUE) {
      demand.addAndGet(-emitted);
    }
    if (cancelled || next < results.size()) {
      return;
    }
    if (last) {
      end();
    } else if (!asked && demand.get() > 0) {
      asked = true;
      upstream().request(1);
    }
  }

  /** A subscriber must not throw (§2.13). If it does, its stream ends, and the thread is told. */
  private void emit(R result) {
    try {
      target.onNext(result);
    } catch (RuntimeException | Error e) {
      cancel();
      throw e;
    }
  }

  private void take() {
    List<R> ofEntry = arrived;
    if (ofEntry != null) {
      arrived = null;
      asked = false;
      results = ofEntry;
      next = 0;
    }
  }

  private void end() {
    ended = true;
    Throwable cause = failure;
    if (cause == null) {
      target.onComplete();
    } else {
      target.onError(cause);
    }
  }
}
