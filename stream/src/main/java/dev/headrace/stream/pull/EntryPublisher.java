package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.protocol.StreamMachine.Source;
import dev.headrace.stream.protocol.StreamOptions;
import java.util.Objects;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.reactivestreams.Subscriber;

/**
 * Makes streams. Each subscription is a stream of its own, even of the same subscriber, and is
 * planned when it begins. Immutable, for any thread.
 *
 * @param <T> what it publishes: entries, keys or values
 */
final class EntryPublisher<T> implements StreamPublisher<T> {

  private final StreamEnvironment environment;
  private final StreamOptions options;
  private final Source source;
  private final Supplier<EntryDecoder<T>> decoder;

  EntryPublisher(
      StreamEnvironment environment,
      StreamOptions options,
      Source source,
      Supplier<EntryDecoder<T>> decoder) {
    this.environment = environment;
    this.options = options;
    this.source = source;
    this.decoder = decoder;
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    new StreamSubscription<T>(
            subscriber,
            options.executor(),
            environment.executor(),
            signal -> new PullEngine<>(environment, options, source, decoder.get(), signal))
        .begin();
  }

  @Override
  public CloseableIterator<T> iterator() {
    StreamIterator<T> iterator = new StreamIterator<>();
    subscribe(iterator);
    return iterator;
  }
}
