package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamPublisher;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.infinispan.commons.util.CloseableIterator;
import org.reactivestreams.Subscriber;

/**
 * The results of entries one after the other, of a stream that has those of each entry together.
 * Never more than the results of one entry are taken out of it. How it ends is told behind all
 * results of the last entry, so that a resume token stands between entries. Immutable, for any
 * thread.
 *
 * @param <R> a result
 */
final class FlattenedPublisher<R> implements StreamPublisher<R> {
  private final StreamPublisher<List<R>> entries;
  private final Executor executor;

  /**
   * @param executor the stream's, from which signals come
   */
  FlattenedPublisher(StreamPublisher<List<R>> entries, Executor executor) {
    this.entries = entries;
    this.executor = executor;
  }

  @Override
  public void subscribe(Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    entries.subscribe(new FlattenedSubscription<R>(subscriber, executor));
  }

  @Override
  public CloseableIterator<R> iterator() {
    return new FlattenedIterator<>(entries.iterator());
  }

  private static final class FlattenedIterator<R> implements CloseableIterator<R> {
    private final CloseableIterator<List<R>> entries;
    private List<R> results = List.of();
    private int next;

    FlattenedIterator(CloseableIterator<List<R>> entries) {
      this.entries = entries;
    }

    @Override
    public boolean hasNext() {
      while (next == results.size()) {
        if (!entries.hasNext()) {
          return false;
        }
        results = entries.next();
        next = 0;
      }
      return true;
    }

    @Override
    public R next() {
      if (!hasNext()) {
        throw new NoSuchElementException("The stream has ended: check hasNext() first");
      }
      return results.get(next++);
    }

    @Override
    public void close() {
      entries.close();
    }
  }
}
