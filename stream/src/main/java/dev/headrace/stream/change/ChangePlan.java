package dev.headrace.stream.change;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.protocol.StreamOptions;
import dev.headrace.stream.publisher.PulledPublisher;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A stream of changes that a user prepares and that has not begun; the entrance of this package.
 * Immutable, for any thread.
 *
 * @param <K> the type of the cache's keys
 * @param <V> the type of the cache's values
 */
public final class ChangePlan<K, V> implements ChangeStream<K, V> {
  private final ChangeEnvironment environment;
  private final CacheSettings<K, V> cache;
  private final int format;
  private final ChangeOptions options;

  private ChangePlan(
      ChangeEnvironment environment, CacheSettings<K, V> cache, int format, ChangeOptions options) {
    this.environment = environment;
    this.cache = cache;
    this.format = format;
    this.options = options;
  }

  /**
   * A stream of all changes of a cache from now on.
   *
   * @param format the 32-bit hash of the formats of keys and values, which questions carry; 0 for
   *     any
   */
  public static <K, V> ChangePlan<K, V> over(
      ChangeEnvironment environment, CacheSettings<K, V> cache, int format) {
    return new ChangePlan<>(
        environment, cache, format, ChangeOptions.defaults(environment.node().executor()));
  }

  /**
   * What follows a stream of entries: the content that its settings choose, and the changes of
   * that.
   *
   * @param format as of {@link #over}
   */
  public static <K, V> Function<StreamOptions, ChangeStream<K, V>> following(
      ChangeEnvironment environment, CacheSettings<K, V> cache, int format) {
    return stream -> new ChangePlan<>(environment, cache, format, ChangeOptions.after(stream));
  }

  private ChangePlan<K, V> with(ChangeOptions changed) {
    return new ChangePlan<>(environment, cache, format, changed);
  }

  @Override
  public ChangeStream<K, V> withContent() {
    return with(options.withContent());
  }

  @Override
  public ChangeStream<K, V> withPrevious() {
    return with(options.withPrevious());
  }

  @Override
  public ChangeStream<K, V> latestOnly() {
    return with(options.withLatestOnly());
  }

  @Override
  public ChangeStream<K, V> batchBytes(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("batchBytes must be at least 1, but is " + bytes);
    }
    return with(options.withBatchBytes(bytes));
  }

  @Override
  public ChangeStream<K, V> segments(Set<Integer> segments) {
    return with(options.withSegments(environment.node().hashSpace().choice(segments)));
  }

  @Override
  public ChangeStream<K, V> keys(Set<? extends K> keys) {
    return with(
        options.withKeys(KeySelection.of(keys, cache.keyCodec(), environment.node().hashSpace())));
  }

  @Override
  public ChangeStream<K, V> resumeFrom(String token) {
    return with(options.withToken(ChangeToken.parse(Objects.requireNonNull(token, "token"))));
  }

  @Override
  public ChangeStream<K, V> executor(Executor executor) {
    return with(options.withExecutor(Objects.requireNonNull(executor, "executor")));
  }

  @Override
  public ChangeStream<K, V> listener(ChangeListener listener) {
    return with(options.withListener(Objects.requireNonNull(listener, "listener")));
  }

  @Override
  public StreamPublisher<Change<K, V>> changes() {
    ChangeSource<K, V> source =
        new ChangeSource<>(
            cache.name(),
            format,
            cache.keyCodec(),
            cache.valueCodec(),
            environment.node().hashSpace(),
            options.keys());
    return new PulledPublisher<>(
        options.executor(),
        environment.node().executor(),
        drain -> new ChangeEngine<>(environment, options, source, drain));
  }
}
