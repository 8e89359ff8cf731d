package dev.headrace.jcache.event;

import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeStream;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * The entries of a cache that expire, on whichever node: what a stream of its changes tells of
 * them, until it fails.
 */
final class ExpiredChanges<K, V> implements Subscriber<Change<K, V>> {
  /** How many changes are asked for at a time. */
  private static final int DEMAND = 256;

  private static final Subscription CANCELLED =
      new Subscription() {
        @Override
        public void request(long n) {
          // Nothing comes any more.
        }

        @Override
        public void cancel() {
          // It is.
        }
      };

  private final Listener<K, V> listener;
  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();

  /** How many changes have come since some were asked for. Used by the stream's signals only. */
  private int received;

  /** Who hears of expired entries. */
  interface Listener<K, V> {
    /** An entry has expired; its last value is null if it is not known. */
    void expired(K key, @Nullable V lastValue);

    /** It hears no more of them, though nobody has cancelled that. */
    void failed(ExpiredChanges<K, V> subscription, Throwable why);
  }

  private ExpiredChanges(Listener<K, V> listener) {
    this.listener = listener;
  }

  /** Begins to tell of expired entries. */
  static <K, V> ExpiredChanges<K, V> subscribe(
      ChangeStream<K, V> changes, Listener<K, V> listener) {
    ExpiredChanges<K, V> subscriber = new ExpiredChanges<>(listener);
    changes.changes().subscribe(subscriber);
    return subscriber;
  }

  void cancel() {
    Subscription present = subscription.getAndSet(CANCELLED);
    if (present != null) {
      present.cancel();
    }
  }

  @Override
  public void onSubscribe(Subscription stream) {
    if (subscription.compareAndSet(null, stream)) {
      stream.request(DEMAND);
    } else {
      stream.cancel();
    }
  }

  @Override
  public void onNext(Change<K, V> change) {
    if (change instanceof Change.OfKey<K, V> ofKey && ofKey.kind() == Change.Kind.EXPIRED) {
      listener.expired(ofKey.key(), ofKey.previous());
    }
    received++;
    Subscription present = subscription.get();
    if (received == DEMAND && present != null) {
      received = 0;
      present.request(DEMAND);
    }
  }

  @Override
  public void onError(Throwable failure) {
    listener.failed(this, failure);
  }

  @Override
  public void onComplete() {
    listener.failed(this, new IllegalStateException("The stream of changes has ended"));
  }
}
