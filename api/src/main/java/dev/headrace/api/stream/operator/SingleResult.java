package dev.headrace.api.stream.operator;

import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;

/** A future as a {@link Single} that cancels it when it is disposed of. */
final class SingleResult {

  private SingleResult() {}

  static <R> Single<R> of(CompletableFuture<R> future) {
    return Single.fromCompletionStage(future).doOnDispose(() -> future.cancel(false));
  }
}
