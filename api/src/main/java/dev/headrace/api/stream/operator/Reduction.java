package dev.headrace.api.stream.operator;

import io.reactivex.rxjava3.core.Single;
import java.util.concurrent.CompletableFuture;
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
    return Single.defer(() -> SingleResult.of(toCompletionStage()));
  }

  /**
   * Waits for the result. The calling thread does the work of this node, so this may be called on
   * the stream's executor.
   *
   * @throws dev.headrace.api.error.HeadraceException if it cannot be computed, or the thread is
   *     interrupted
   */
  R get();

  /** This result, changed by a function on the node that asks. */
  default <S> Reduction<S> map(Function<? super R, ? extends S> function) {
    return new MappedReduction<>(this, function);
  }
}
