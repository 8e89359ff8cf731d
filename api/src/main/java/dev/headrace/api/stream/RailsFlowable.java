package dev.headrace.api.stream;

import io.reactivex.rxjava3.parallel.ParallelFlowable;
import java.util.List;
import org.reactivestreams.Subscriber;

/** A stream's rails for RxJava. Immutable, for any thread. */
final class RailsFlowable<T> extends ParallelFlowable<T> {
  private final ContentPublisher<T> publisher;
  private final int rails;

  RailsFlowable(ContentPublisher<T> publisher, int rails) {
    publisher.rails(rails); // Refuses a number that makes no sense here, where it is given.
    this.publisher = publisher;
    this.rails = rails;
  }

  @Override
  public void subscribe(Subscriber<? super T>[] subscribers) {
    if (validate(subscribers)) {
      List<StreamPublisher<T>> each = publisher.rails(rails);
      for (int i = 0; i < rails; i++) {
        each.get(i).subscribe(subscribers[i]);
      }
    }
  }

  @Override
  public int parallelism() {
    return rails;
  }
}
