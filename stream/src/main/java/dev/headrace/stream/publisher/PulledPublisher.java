package dev.headrace.stream.publisher;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.pull.Pulled;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.reactivestreams.Subscriber;

/**
 * Publishes whatever can be pulled. Each subscription gets something of its own. Immutable, for any
 * thread.
 *
 * @param <T> what it publishes
 */
public final class PulledPublisher<T> implements StreamPublisher<T> {
  private final Executor executor;
  private final Executor nodeExecutor;
  private final Function<Runnable, Pulled<T>> source;

  /**
   * @param executor runs drains
   * @param nodeExecutor runs them instead when that would run them on a thread of the node
   * @param source makes what is pulled, given the signal that schedules its drain
   */
  public PulledPublisher(
      Executor executor, Executor nodeExecutor, Function<Runnable, Pulled<T>> source) {
    this.executor = executor;
    this.nodeExecutor = nodeExecutor;
    this.source = source;
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    new StreamSubscription<T>(subscriber, executor, nodeExecutor, source).begin();
  }

  @Override
  public CloseableIterator<T> iterator() {
    StreamIterator<T> iterator = new StreamIterator<>();
    subscribe(iterator);
    return iterator;
  }
}
