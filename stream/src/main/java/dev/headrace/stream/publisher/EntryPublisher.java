package dev.headrace.stream.publisher;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.StreamSignal;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.protocol.SegmentPool;
import dev.headrace.stream.protocol.StreamOptions;
import dev.headrace.stream.protocol.StreamSource;
import dev.headrace.stream.pull.ElementForm;
import dev.headrace.stream.pull.PullEngine;
import dev.headrace.stream.pull.Pulled;
import dev.headrace.stream.pull.StreamEnvironment;
import dev.headrace.stream.pull.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/**
 * Makes streams. Each subscription is a stream of its own, even of the same subscriber, and is
 * planned when it begins. Immutable, for any thread.
 *
 * @param <T> what it publishes: entries, keys or values
 */
public final class EntryPublisher<T> implements ContentPublisher<T> {

  private final StreamEnvironment environment;
  private final StreamOptions options;
  private final StreamSource source;
  private final Supplier<? extends EntryDecoder<?>> decoder;
  private final ElementForm<T> form;

  private EntryPublisher(
      StreamEnvironment environment,
      StreamOptions options,
      StreamSource source,
      Supplier<? extends EntryDecoder<?>> decoder,
      ElementForm<T> form) {
    this.environment = environment;
    this.options = options;
    // The place at a deadline is behind any entry, and is told by its key.
    boolean placed = options.pace().deadlineNanos() > 0 && !source.reduces();
    this.source = placed ? source.withKeys() : source;
    this.decoder = decoder;
    this.form = form;
  }

  /** Publishes what the decoder makes. */
  public static <T> EntryPublisher<T> of(
      StreamEnvironment environment,
      StreamOptions options,
      StreamSource source,
      Supplier<EntryDecoder<T>> decoder) {
    return new EntryPublisher<>(environment, options, source, decoder, ElementForm.plain());
  }

  @Override
  public ContentPublisher<TokenedElement<T>> withTokens() {
    StreamSource keyed = source.withKeys();
    return new EntryPublisher<>(environment, options, keyed, decoder, ElementForm.tokened(form));
  }

  @Override
  public StreamPublisher<StreamSignal<T>> signals() {
    return new EntryPublisher<>(environment, options, source, decoder, ElementForm.signals(form));
  }

  @Override
  public List<StreamPublisher<T>> rails(int rails) {
    if (rails < 1 || rails > options.batchSize()) {
      throw new IllegalArgumentException(
          "rails must be between 1 and the batch size, "
              + options.batchSize()
              + ", but is "
              + rails);
    }
    SegmentPool pool = new SegmentPool(rails);
    StreamOptions share = options.ofRail(rails);
    List<StreamPublisher<T>> each = new ArrayList<>(rails);
    for (int i = 0; i < rails; i++) {
      each.add(new RailPublisher<>(subscriber -> subscribe(subscriber, share, pool)));
    }
    return List.copyOf(each);
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    subscribe(subscriber, options, null);
  }

  private void subscribe(
      Subscriber<? super T> subscriber, StreamOptions settings, @Nullable SegmentPool pool) {
    new StreamSubscription<T>(
            subscriber,
            settings.executor(),
            environment.executor(),
            signal -> engine(settings, signal, pool))
        .begin();
  }

  private Pulled<T> engine(StreamOptions settings, Runnable signal, @Nullable SegmentPool pool) {
    StreamObserver observer = environment.observer().get();
    if (observer == null) {
      return engine(environment, settings, signal, pool);
    }
    StreamObserver.Stream observed = observer.begun(source.cache());
    ObservedReads reads = new ObservedReads(environment, observed);
    Pulled<T> engine = engine(environment.with(reads), settings, signal, pool);
    return new RecordedPull<>(engine, reads);
  }

  private Pulled<T> engine(
      StreamEnvironment around,
      StreamOptions settings,
      Runnable signal,
      @Nullable SegmentPool pool) {
    Pulled<T> engine =
        new PullEngine<>(around, settings, source, decoder.get(), form, signal, pool);
    return StreamFlight.recorded(engine, source.cache());
  }

  /**
   * One stream, to be pulled by the caller.
   *
   * @param signal schedules the caller's drain
   */
  public Pulled<T> pulled(Runnable signal) {
    return engine(options, signal, null);
  }

  @Override
  public CloseableIterator<T> iterator() {
    StreamIterator<T> iterator = new StreamIterator<>();
    subscribe(iterator);
    return iterator;
  }
}
