package dev.headrace.jcache.event;

import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeStream;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a cache that expire, on whichever node: what a stream of its changes tells of
 * them. It ends if the stream fails, which is logged.
 */
final class ExpiredChanges<K, V> implements Subscriber<Change<K, V>> {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredChanges.class);

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

  private final BiConsumer<K, @Nullable V> listener;
  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();

  /** How many changes have come since some were asked for. Used by the stream's signals only. */
  private int received;

  private ExpiredChanges(BiConsumer<K, @Nullable V> listener) {
    this.listener = listener;
  }

  /**
   * Begins to tell of expired entries.
   *
   * @param listener is given the key, and the last value if it is known
   */
  static <K, V> ExpiredChanges<K, V> subscribe(
      ChangeStream<K, V> changes, BiConsumer<K, @Nullable V> listener) {
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
      listener.accept(ofKey.key(), ofKey.previous());
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
    LOG.warn("Listeners hear no more of entries that expire", failure);
  }

  @Override
  public void onComplete() {
    LOG.warn("Listeners hear no more of entries that expire: the stream has ended");
  }
}
