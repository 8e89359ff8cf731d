package dev.headrace.api.stream.operator;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The result of another reduction, changed by a function. */
record MappedReduction<R, S>(Reduction<R> origin, Function<? super R, ? extends S> function)
    implements Reduction<S> {

  @Override
  public CompletableFuture<S> toCompletionStage() {
    CompletableFuture<R> result = origin.toCompletionStage();
    CompletableFuture<S> mapped = new CompletableFuture<>();
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
    mapped.whenComplete(
        (value, failure) -> {
          if (mapped.isCancelled()) {
            result.cancel(false);
          }
        });
    return mapped;
  }
}
