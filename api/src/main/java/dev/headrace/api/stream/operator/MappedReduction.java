package dev.headrace.api.stream.operator;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The result of another reduction, changed by a function. */
record MappedReduction<R, S>(Reduction<R> origin, Function<? super R, ? extends S> function)
    implements Reduction<S> {

  @Override
  public S get() {
    return function.apply(origin.get());
  }

  @Override
  public CompletableFuture<S> toCompletionStage() {
    CompletableFuture<R> result = origin.toCompletionStage();
    CompletableFuture<S> mapped = new CancellingFuture<>(result);
    var unused =
        result.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                mapped.completeExceptionally(failure);
                return;
              }
              try {
                mapped.complete(function.apply(value));
              } catch (Throwable e) {
                mapped.completeExceptionally(e);
              }
            });
    return mapped;
  }

  /** A future whose cancellation cancels what it waits for. */
  private static final class CancellingFuture<S> extends CompletableFuture<S> {
    private final CompletableFuture<?> awaited;

    CancellingFuture(CompletableFuture<?> awaited) {
      this.awaited = awaited;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      awaited.cancel(false);
      return super.cancel(mayInterruptIfRunning);
    }
  }
}
