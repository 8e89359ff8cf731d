package dev.headrace.stream.plan;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Computes one result: takes partial results as they come, and adds them up. Its signals are
 * serial, as of every subscriber.
 *
 * @param <R> the result
 */
final class ReductionRun<R> implements Subscriber<byte[]> {

  private final Combination<R> combination;
  private final CompletableFuture<R> future =
      new CompletableFuture<>() {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
          boolean cancelled = super.cancel(mayInterruptIfRunning);
          ReductionRun.this.cancel();
          return cancelled;
        }
      };
  private volatile @Nullable Subscription subscription;

  private ReductionRun(Combination<R> combination) {
    this.combination = combination;
  }

  /** Begins to compute. Cancelling the returned future cancels the stream. */
  static <R> CompletableFuture<R> begin(Publisher<byte[]> partials, Combination<R> combination) {
    ReductionRun<R> run = new ReductionRun<>(combination);
    partials.subscribe(run);
    return run.future;
  }

  private void cancel() {
    Subscription present = subscription;
    if (present != null) {
      present.cancel();
    }
  }

  @Override
  public void onSubscribe(Subscription offered) {
    subscription = offered;
    if (future.isDone()) {
      offered.cancel();
    } else {
      offered.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(byte[] partial) {
    try {
      combination.add(partial);
    } catch (Throwable e) { // of a codec or combiner: whoever waits must hear of it
      cancel();
      future.completeExceptionally(e);
    }
  }

  @Override
  public void onError(Throwable failure) {
    future.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    try {
      future.complete(combination.result());
    } catch (Throwable e) { // of a codec or finisher: whoever waits must hear of it
      future.completeExceptionally(e);
    }
  }
}
