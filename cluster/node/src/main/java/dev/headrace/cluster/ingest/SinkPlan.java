package dev.headrace.cluster.ingest;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.cache.EntryRequests;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The builder of sinks. */
public final class SinkPlan<K, V> implements CacheSink<K, V> {
  private final Supplier<SinkEnvironment> environment;
  private final EntryRequests<K, V> requests;
  private final SinkSettings settings;
  private final @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan;
  private final LongFunction<? extends LongFunction<? extends K>> appendedKeys;

  private SinkPlan(
      Supplier<SinkEnvironment> environment,
      EntryRequests<K, V> requests,
      SinkSettings settings,
      @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan,
      LongFunction<? extends LongFunction<? extends K>> appendedKeys) {
    this.environment = environment;
    this.requests = requests;
    this.settings = settings;
    this.lifespan = lifespan;
    this.appendedKeys = appendedKeys;
  }

  /**
   * A sink with default settings.
   *
   * @param environment the parts of the node's present life; asked for each subscriber, and once
   *     here, where it refuses what may not begin now
   */
  public static <K, V> CacheSink<K, V> of(
      Supplier<SinkEnvironment> environment, EntryRequests<K, V> requests) {
    var unused = environment.get();
    return new SinkPlan<>(environment, requests, SinkSettings.DEFAULTS, null, SinkPlan::texts);
  }

  /** Keys as texts. A cache with other keys refuses them when they are encoded. */
  @SuppressWarnings("unchecked")
  private static <K> LongFunction<K> texts(long family) {
    String prefix = hex(family, 16) + "-";
    return number -> (K) (prefix + hex(number, 12));
  }

  private static String hex(long number, int digits) {
    char[] text = new char[digits];
    long rest = number;
    for (int i = digits - 1; i >= 0; i--) {
      text[i] = Character.forDigit((int) rest & 0xf, 16);
      rest >>>= 4;
    }
    return new String(text);
  }

  private SinkPlan<K, V> with(UnaryOperator<SinkDraft> change) {
    SinkSettings changed = change.apply(new SinkDraft(settings)).settings();
    return new SinkPlan<>(environment, requests, changed, lifespan, appendedKeys);
  }

  @Override
  public CacheSink<K, V> batchBytes(int bytes) {
    atLeast(1, bytes, "batchBytes");
    return with(draft -> draft.batchBytes(bytes));
  }

  @Override
  public CacheSink<K, V> linger(Duration longest) {
    notNegative(longest, "linger");
    return with(draft -> draft.linger(longest));
  }

  @Override
  public CacheSink<K, V> memoryBytes(long bytes) {
    atLeast(1, bytes, "memoryBytes");
    return with(draft -> draft.memoryBytes(bytes));
  }

  @Override
  public CacheSink<K, V> lifespan(Function<? super Map.Entry<K, V>, Duration> ofEntry) {
    return new SinkPlan<>(
        environment, requests, settings, requireNonNull(ofEntry, "ofEntry"), appendedKeys);
  }

  @Override
  public CacheSink<K, V> ifAbsent() {
    return with(draft -> draft.ifAbsent());
  }

  @Override
  public CacheSink<K, V> conflating() {
    return with(draft -> draft.conflates());
  }

  @Override
  public CacheSink<K, V> stopAtFirstFailure() {
    return with(draft -> draft.stopsAtFirstFailure());
  }

  @Override
  public CacheSink<K, V> failedRecords(int most) {
    atLeast(0, most, "failedRecords");
    return with(draft -> draft.failedRecords(most));
  }

  @Override
  public CacheSink<K, V> retryFor(Duration longest) {
    notNegative(longest, "retryFor");
    return with(draft -> draft.retryFor(longest));
  }

  @Override
  public CacheSink<K, V> progress(Duration every, Consumer<IngestProgress> listener) {
    requireNonNull(listener, "listener");
    if (every.isZero() || every.isNegative()) {
      throw new IllegalArgumentException("every is " + every + "; it must be positive");
    }
    return with(draft -> draft.progress(every, listener));
  }

  @Override
  public CacheSink<K, V> recordEnded(LongConsumer listener) {
    requireNonNull(listener, "listener");
    return with(draft -> draft.recordEnded(listener));
  }

  @Override
  public CacheSink<K, V> recordFailed(Consumer<? super FailedRecord> listener) {
    requireNonNull(listener, "listener");
    return with(draft -> draft.recordFailed(listener));
  }

  @Override
  public CacheSink<K, V> executor(Executor executor) {
    requireNonNull(executor, "executor");
    return with(draft -> draft.executor(executor));
  }

  @Override
  public CacheSink<K, V> partitioner(Supplier<? extends Partitioner> partitioner) {
    requireNonNull(partitioner, "partitioner");
    return with(draft -> draft.partitioner(partitioner));
  }

  @Override
  public CacheSink<K, V> appendedKeys(LongFunction<? extends LongFunction<? extends K>> keys) {
    return new SinkPlan<>(environment, requests, settings, lifespan, requireNonNull(keys, "keys"));
  }

  @Override
  public SinkSubscriber<Map.Entry<K, V>> subscriber() {
    SinkEnvironment present = environment.get();
    Intake<Map.Entry<K, V>> intake =
        new EntryIntake<>(requests, settings.ifAbsent(), lifespan, present.space().get());
    return SinkRun.of(present, settings, intake);
  }

  @Override
  public SinkSubscriber<V> appender() {
    if (settings.ifAbsent() || settings.conflates()) {
      throw new IllegalStateException(
          "Each appended value gets a key of its own: leave ifAbsent() and conflating() out, or"
              + " load entries");
    }
    SinkEnvironment present = environment.get();
    LongFunction<? extends K> keys = appendedKeys.apply(present.random().getAsLong());
    SegmentKeys segmentKeys =
        new SegmentKeys(
            present.space().get(), number -> requests.keyOf(checked(keys.apply(number))));
    Partitioner partitioner = requireNonNull(settings.partitioner().get(), "partitioner");
    Intake<V> intake = new ValueIntake<>(requests, lifespan, segmentKeys, partitioner);
    return SinkRun.of(present, settings, intake);
  }

  private static <T> T checked(@Nullable T key) {
    return requireNonNull(key, "appendedKeys has made null");
  }

  private static void atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s is %d; it must be at least %d".formatted(name, value, least));
    }
  }

  private static void notNegative(Duration value, String name) {
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " is " + value + "; it must not be negative");
    }
  }
}
