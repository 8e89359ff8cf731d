package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.stream.publisher.EntryPublisher;
import dev.headrace.stream.publisher.Flattened;
import dev.headrace.stream.publisher.PulledPublisher;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/** The same rules for results that travel together, and are handed over one by one. */
public final class FlattenedVerificationTest
    extends SyntheticVerification<Map.Entry<String, String>> {

  @Override
  Publisher<Map.Entry<String, String>> publisher(CacheStream<String, String> stream) {
    EntryPublisher<Map.Entry<String, String>> entries =
        (EntryPublisher<Map.Entry<String, String>>) stream.entries();
    return new PulledPublisher<>(
        task -> executor().execute(task),
        executor(),
        signal -> new Flattened<>(new Listed<>(entries.pulled(signal))));
  }

  /** Each element in a list of its own. */
  private record Listed<T>(Pulled<T> elements) implements Pulled<List<T>> {

    @Override
    public void pulledBy(Runnable other) {
      elements.pulledBy(other);
    }

    @Override
    public Cleaner.Cleanable closeWith(Object user) {
      return elements.closeWith(user);
    }

    @Override
    public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
      return elements.keptWith(end);
    }

    @Override
    public void plan() {
      elements.plan();
    }

    @Override
    public boolean hasDecodable() {
      return elements.hasDecodable();
    }

    @Override
    public boolean isReady() {
      return elements.isReady();
    }

    @Override
    public @Nullable List<T> take() {
      T taken = elements.take();
      return taken == null ? null : List.of(taken);
    }

    @Override
    public void recheck() {
      elements.recheck();
    }

    @Override
    public boolean isEnded() {
      return elements.isEnded();
    }

    @Override
    public @Nullable Throwable failure() {
      return elements.failure();
    }

    @Override
    public void close() {
      elements.close();
    }
  }
}
