package dev.headrace.stream.publisher;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamPublisher;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** One rail of a stream, for one consumer. For any thread. */
final class RailPublisher<T> implements StreamPublisher<T> {

  private final Consumer<Subscriber<? super T>> rail;
  private final AtomicBoolean taken = new AtomicBoolean();

  /**
   * @param rail subscribes to the rail; called once at most
   */
  RailPublisher(Consumer<Subscriber<? super T>> rail) {
    this.rail = rail;
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (taken.compareAndSet(false, true)) {
      rail.accept(subscriber);
    } else {
      subscriber.onSubscribe(new Refused());
      subscriber.onError(
          new IllegalStateException(
              "A rail has one consumer: call rails() again for another stream, or for more rails"));
    }
  }

  @Override
  public CloseableIterator<T> iterator() {
    StreamIterator<T> iterator = new StreamIterator<>();
    subscribe(iterator);
    return iterator;
  }

  /** The subscription of whoever comes second. */
  private static final class Refused implements Subscription {
    @Override
    public void request(long n) {
      // Nothing will come: the error follows at once.
    }

    @Override
    public void cancel() {
      // There is nothing to give back.
    }
  }
}
