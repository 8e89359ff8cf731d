package dev.headrace.api.stream;

import io.reactivex.rxjava3.core.Flowable;
import java.util.concurrent.Flow;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;

/**
 * A cold {@link Publisher} of a cache's content: every subscription is a stream of its own. The
 * subscriber's demand, and nothing else, sets the pace on every node.
 *
 * <p>Signals are serial and come from the stream's executor. Follows the Reactive Streams 1.0.4
 * specification. Errors are {@link dev.headrace.api.error.HeadraceException}s: a {@link
 * dev.headrace.api.error.StreamInterruptedException} where the stream cannot keep its promise.
 *
 * @param <T> entries, keys or values
 */
public interface StreamPublisher<T> extends Publisher<T> {

  /**
   * A stream that the caller pulls; decoding happens on the thread that calls the iterator.
   *
   * @return to be closed if it is not read to its end; for one thread
   */
  CloseableIterator<T> iterator();

  /** As an RxJava 3 {@link Flowable}. */
  default Flowable<T> toFlowable() {
    return Flowable.fromPublisher(this);
  }

  /** As a {@link Flow.Publisher}. */
  default Flow.Publisher<T> toFlow() {
    return FlowAdapters.toFlowPublisher(this);
  }
}
