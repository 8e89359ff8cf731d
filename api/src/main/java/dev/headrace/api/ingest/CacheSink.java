package dev.headrace.api.ingest;

import io.reactivex.rxjava3.core.FlowableTransformer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;

/**
 * Prepares the loading of a cache from a stream. Immutable: every setter returns a new one, and
 * nothing happens before a subscriber that it makes is subscribed.
 *
 * <p>Entries are gathered into one open batch per node, or per segment for values without a key. A
 * batch leaves when it has {@link #batchBytes}, when its first entry has waited for {@link
 * #linger}, or at the end; and not before the node has room for it. The source is asked for as much
 * as fits into {@link #memoryBytes}, so that the cluster, and nothing else, sets its pace.
 *
 * <p>Each entry is written as by {@code Cache.put}: it is acknowledged by all owners of its
 * segment, sent again when owners change or do not answer, and carried out once however often it is
 * sent. The writes of one key happen in the order of the source.
 *
 * <p>Setters throw {@link IllegalArgumentException} for values out of range, and {@link
 * NullPointerException} for null.
 *
 * @param <K> the cache's keys
 * @param <V> the cache's values
 */
public interface CacheSink<K, V> {

  /** Bytes of a batch at {@link #batchBytes} unless set: 16 KiB. */
  int DEFAULT_BATCH_BYTES = 16 << 10;

  /** Bytes of all entries that a sink holds at {@link #memoryBytes} unless set: 16 MiB. */
  long DEFAULT_MEMORY_BYTES = 16L << 20;

  /** Failed records that a report names at {@link #failedRecords} unless set: 100. */
  int DEFAULT_FAILED_RECORDS = 100;

  /**
   * After how many encoded bytes a batch is full. A larger entry travels alone. While two batches
   * or more are in flight to a node, the next one with keys waits to become larger, up to sixteen
   * times: the entries of a segment in a batch are one operation.
   *
   * @param bytes at least 1; {@link #DEFAULT_BATCH_BYTES} unless set
   */
  CacheSink<K, V> batchBytes(int bytes);

  /**
   * How long the first entry of a batch that is not full waits for others.
   *
   * @param longest not negative; zero unless set: a batch leaves as soon as its node has room
   */
  CacheSink<K, V> linger(Duration longest);

  /**
   * The memory for entries that have arrived or were asked for and are not acknowledged. The size
   * of entries that were asked for is estimated by earlier ones; at most 1,024 are asked for at a
   * time.
   *
   * @param bytes at least 1; {@link #DEFAULT_MEMORY_BYTES} unless set. One entry is always taken
   */
  CacheSink<K, V> memoryBytes(long bytes);

  /**
   * A lifespan for each entry in the place of the cache's. The function is called by the thread
   * that calls {@code onNext}; what it throws makes its record fail. An appended value has no key
   * then: that of its entry is null.
   *
   * @param ofEntry returns a positive duration or {@code Cache.FOREVER}
   */
  CacheSink<K, V> lifespan(Function<? super Map.Entry<K, V>, Duration> ofEntry);

  /**
   * Writes only keys that are absent; the others count as {@link IngestProgress#present}. Not for
   * an {@link #appender}, whose keys are all new.
   */
  CacheSink<K, V> ifAbsent();

  /**
   * Of several entries with one key that wait in a batch, only the last is written, or the first
   * with {@link #ifAbsent}. All but one count as {@link IngestProgress#conflated}. Not for an
   * {@link #appender}.
   */
  CacheSink<K, V> conflating();

  /**
   * Ends with the first record that fails: the source is cancelled, what was received is written,
   * and the report fails. Otherwise the others go on.
   */
  CacheSink<K, V> stopAtFirstFailure();

  /**
   * How many failed records the report names; more are counted only.
   *
   * @param most not negative; {@link #DEFAULT_FAILED_RECORDS} unless set
   */
  CacheSink<K, V> failedRecords(int most);

  /**
   * How long an entry is tried again that has certainly not been written, since its segment had no
   * owner or the node was overloaded. It comes on top of {@code NodeSettings.operationTimeout}.
   *
   * @param longest not negative; 30 s unless set
   */
  CacheSink<K, V> retryFor(Duration longest);

  /**
   * Tells the progress while there is any, and at the end. The listener is called by one thread at
   * a time of {@link #executor} or of the source; what it throws ends the load.
   *
   * @param every the shortest time between two calls, positive
   */
  CacheSink<K, V> progress(Duration every, Consumer<IngestProgress> listener);

  /**
   * Tells when each record has ended: when it was acknowledged, or has failed, or was replaced by
   * another one. So a program knows what it may forget, such as the offsets of another system. The
   * listener is called by one thread at a time of {@link #executor} or of the source, in the order
   * in which records end; it should be short, and what it throws ends the load.
   *
   * @param listener takes the record's number in the order of the source, from 0
   */
  CacheSink<K, V> recordEnded(LongConsumer listener);

  /**
   * Tells each record that fails, before {@link #recordEnded} does; as many as there are, while a
   * report names only some of them. The listener is called as that one is, and what it throws ends
   * the load.
   */
  CacheSink<K, V> recordFailed(Consumer<? super FailedRecord> listener);

  /**
   * Where the source is asked for more, and batches are sent from; an executor of the node by
   * default. What it would run on a thread of the node's network or timer, the node's executor runs
   * instead, and everything when the node closes. It must run what it takes or refuse it: a load
   * whose executor drops tasks waits until then.
   */
  CacheSink<K, V> executor(Executor executor);

  /**
   * Chooses the segments of values without a key.
   *
   * @param partitioner makes one for each subscriber; {@link Partitioner#adaptiveSticky()} unless
   *     set
   */
  CacheSink<K, V> partitioner(Supplier<? extends Partitioner> partitioner);

  /**
   * Makes the keys of values without a key.
   *
   * @param keys makes a family of keys out of a number that was drawn at random for the subscriber:
   *     the function that it returns makes a different key of each number, and is called by one
   *     thread at a time. Unless set, keys are strings of 16 and 12 hexadecimal digits, which is
   *     refused for a cache with other keys
   */
  CacheSink<K, V> appendedKeys(LongFunction<? extends LongFunction<? extends K>> keys);

  /**
   * A subscriber that writes entries.
   *
   * @return a subscriber for one subscription
   */
  SinkSubscriber<Map.Entry<K, V>> subscriber();

  /**
   * A subscriber that writes values under keys that it makes. It chooses a segment for each value,
   * and only makes keys that fall into it.
   *
   * @return a subscriber for one subscription; keys of one segment grow in the order of the source
   * @throws IllegalStateException after {@link #ifAbsent} or {@link #conflating}
   */
  SinkSubscriber<V> appender();

  /**
   * Writes all entries of a source.
   *
   * @return completed with the report when everything was written; see {@link
   *     SinkSubscriber#report}. To cancel it cancels the source
   */
  default CompletableFuture<IngestReport> load(Publisher<? extends Map.Entry<K, V>> entries) {
    return subscribe(entries, subscriber());
  }

  /** As {@link #load}. */
  default CompletableFuture<IngestReport> loadFlow(
      Flow.Publisher<? extends Map.Entry<K, V>> entries) {
    return load(FlowAdapters.toPublisher(entries));
  }

  /** Writes all values of a source, as an {@link #appender}. */
  default CompletableFuture<IngestReport> append(Publisher<? extends V> values) {
    return subscribe(values, appender());
  }

  /** As {@link #append}. */
  default CompletableFuture<IngestReport> appendFlow(Flow.Publisher<? extends V> values) {
    return append(FlowAdapters.toPublisher(values));
  }

  /**
   * Turns a flow of entries into one of a single report: {@code
   * flowable.compose(sink.transformer())}. It writes once for each subscriber.
   */
  default FlowableTransformer<Map.Entry<K, V>, IngestReport> transformer() {
    return entries -> ReportFlow.of(() -> load(entries));
  }

  /** As {@link #transformer}, of values without a key. */
  default FlowableTransformer<V, IngestReport> appendTransformer() {
    return values -> ReportFlow.of(() -> append(values));
  }

  private static <T> CompletableFuture<IngestReport> subscribe(
      Publisher<? extends T> source, SinkSubscriber<T> subscriber) {
    CompletableFuture<IngestReport> report = subscriber.report();
    source.subscribe(subscriber);
    return report;
  }
}
