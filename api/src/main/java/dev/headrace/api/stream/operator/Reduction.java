package dev.headrace.api.stream.operator;

import dev.headrace.api.error.HeadraceException;
import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * One result of all entries of a stream. Every node makes partial results of the entries that it
 * has; each entry is in exactly one of them, whoever computes it and however often.
 *
 * <p>Nothing happens before the result is asked for, and each time it is computed anew. It fails as
 * the stream would.
 *
 * @param <R> the result
 */
public interface Reduction<R> {

  /**
   * Begins to compute the result.
   *
   * @return completed on a thread of the stream's executor; cancelling it ends the computation on
   *     all nodes
   */
  CompletableFuture<R> toCompletionStage();

  /** The result as an RxJava 3 {@link Single}; computed for each observer. */
  default Single<R> toSingle() {
    return Single.create(
        emitter -> {
          CompletableFuture<R> result = toCompletionStage();
          emitter.setCancellable(() -> result.cancel(false));
          result.whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  emitter.onSuccess(value);
                } else {
                  emitter.tryOnError(failure);
                }
              });
        });
  }

  /**
   * Waits for the result.
   *
   * @throws HeadraceException if it cannot be computed, or the thread is interrupted
   */
  default R get() {
    CompletableFuture<R> result = toCompletionStage();
    try {
      return result.get();
    } catch (InterruptedException e) {
      result.cancel(false);
      Thread.currentThread().interrupt();
      throw new HeadraceException(
          "The thread was interrupted while it waited for the result of a stream; nothing was"
              + " changed by it, so ask again",
          e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      } else if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new HeadraceException("The result of a stream cannot be computed", e);
    }
  }

  /** This result, changed by a function on the node that asks. */
  default <S> Reduction<S> map(Function<? super R, ? extends S> function) {
    return new MappedReduction<>(this, function);
  }
}
