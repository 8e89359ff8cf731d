package dev.headrace.stream.pull;

import dev.headrace.stream.operator.ReductionResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
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

  private final ReductionResult result;
  private final Function<ReductionResult, R> finisher;
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

  private ReductionRun(ReductionResult result, Function<ReductionResult, R> finisher) {
    this.result = result;
    this.finisher = finisher;
  }

  /** Begins to compute. Cancelling the returned future cancels the stream. */
  static <R> CompletableFuture<R> begin(
      Publisher<byte[]> partials, ReductionResult result, Function<ReductionResult, R> finisher) {
    ReductionRun<R> run = new ReductionRun<>(result, finisher);
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
      result.add(partial);
    } catch (Throwable e) { // of a codec: whoever waits must hear of it
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
      future.complete(finisher.apply(result));
    } catch (Throwable e) { // of a codec: whoever waits must hear of it
      future.completeExceptionally(e);
    }
  }
}
