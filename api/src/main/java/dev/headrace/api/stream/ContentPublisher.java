package dev.headrace.api.stream;

import io.reactivex.rxjava3.parallel.ParallelFlowable;
import java.util.List;

/**
 * A publisher of a cache's content, in several forms: plain, with a token at every element, with
 * what becomes of the segments, or for several consumers. Each form is cold, and each subscription
 * to one of them is a stream of its own.
 *
 * @param <T> entries, keys or values, or what is made of each entry
 */
public interface ContentPublisher<T> extends StreamPublisher<T> {

  /**
   * The same elements, each with the place behind it. Costs one hash of the key and two small
   * objects per element, and keys travel also for {@link CacheStream#values}.
   */
  ContentPublisher<TokenedElement<T>> withTokens();

  /** The same elements, and between them which segments are completed or lost. */
  StreamPublisher<StreamSignal<T>> signals();

  /**
   * One stream for several consumers. Each rail is a publisher that may be subscribed to once, or
   * iterated once; together they deliver what the stream delivers, exactly once. Rails take
   * segments from a common store, a few at a time, whenever they have demand, so a quick consumer
   * gets more of them, and a rail that nobody has subscribed to gets none. A segment belongs to one
   * rail. Each rail signals, and decodes, on its consumer's thread or in a turn of its own of the
   * stream's executor. The stream's batch size and byte budget are divided among the rails; each
   * rail asks up to the stream's parallelism of nodes. A listener is called by all rails, perhaps
   * at the same time.
   *
   * <p>Each rail has tokens of its own, which stand for everything but what this rail has handed
   * over: to go on, {@link CacheStream#resumeFrom(java.util.Collection) resume} from the newest
   * token of each rail together. If a rail cannot keep the stream's promise, all rails end with an
   * error, each with its token. What a cancelled rail had taken and not handed over is left out.
   *
   * @param rails at least 1, and at most the stream's batch size
   * @return a new stream's rails, in no particular order
   */
  List<StreamPublisher<T>> rails(int rails);

  /**
   * {@link #rails} as RxJava's {@link ParallelFlowable}: each subscription makes a new stream. The
   * stages behind {@code runOn} are optional: rails run in parallel without it if the stream's
   * executor has several threads.
   *
   * @param rails at least 1, and at most the stream's batch size
   */
  default ParallelFlowable<T> toParallelFlowable(int rails) {
    return new RailsFlowable<>(this, rails);
  }
}
