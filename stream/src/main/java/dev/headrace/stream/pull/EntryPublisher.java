package dev.headrace.stream.pull;

import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.StreamSignal;
import dev.headrace.api.stream.TokenedElement;
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
final class EntryPublisher<T> implements ContentPublisher<T> {

  private final StreamEnvironment environment;
  private final StreamOptions options;
  private final Source source;
  private final Supplier<? extends EntryDecoder<?>> decoder;
  private final ElementForm<T> form;

  private EntryPublisher(
      StreamEnvironment environment,
      StreamOptions options,
      Source source,
      Supplier<? extends EntryDecoder<?>> decoder,
      ElementForm<T> form) {
    this.environment = environment;
    this.options = options;
    this.source = source;
    this.decoder = decoder;
    this.form = form;
  }

  /** Publishes what the decoder makes. */
  static <T> EntryPublisher<T> of(
      StreamEnvironment environment,
      StreamOptions options,
      Source source,
      Supplier<EntryDecoder<T>> decoder) {
    return new EntryPublisher<>(environment, options, source, decoder, ElementForm.plain());
  }

  @Override
  public ContentPublisher<TokenedElement<T>> withTokens() {
    Source keyed = source.withKeys();
    return new EntryPublisher<>(environment, options, keyed, decoder, ElementForm.tokened(form));
  }

  @Override
  public StreamPublisher<StreamSignal<T>> signals() {
    return new EntryPublisher<>(environment, options, source, decoder, ElementForm.signals(form));
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    new StreamSubscription<T>(
            subscriber,
            options.executor(),
            environment.executor(),
            signal -> new PullEngine<>(environment, options, source, decoder.get(), form, signal))
        .begin();
  }

  @Override
  public CloseableIterator<T> iterator() {
    StreamIterator<T> iterator = new StreamIterator<>();
    subscribe(iterator);
    return iterator;
  }
}
