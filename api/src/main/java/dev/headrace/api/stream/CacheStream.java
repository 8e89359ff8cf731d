package dev.headrace.api.stream;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.infinispan.commons.util.IntSet;

/**
 * Prepares a stream over a cache's content. Immutable: every setter returns a new one, and nothing
 * happens before a publisher that it makes is subscribed to.
 *
 * <p>Setters throw {@link IllegalArgumentException} for values out of range, and {@link
 * NullPointerException} for null.
 *
 * @param <K> the cache's keys
 * @param <V> the cache's values
 */
public interface CacheStream<K, V> {

  /** Entries buffered at {@link #batchSize} unless set: 16,384. */
  int DEFAULT_BATCH_SIZE = 16_384;

  /** Bytes buffered at {@link #batchBytes} unless set: 4 MiB. */
  int DEFAULT_BATCH_BYTES = 4 << 20;

  /** Nodes asked at the same time unless set: 4. */
  int DEFAULT_PARALLELISM = 4;

  /**
   * The largest number of entries buffered or in flight for the stream, whatever the number of
   * nodes. All nodes that are asked share it.
   *
   * @param entries at least 1; {@link #DEFAULT_BATCH_SIZE} unless set
   */
  CacheStream<K, V> batchSize(int entries);

  /**
   * The largest number of encoded bytes buffered or in flight. An entry larger than a node's share
   * travels alone.
   *
   * @param bytes at least 1; {@link #DEFAULT_BATCH_BYTES} unless set
   */
  CacheStream<K, V> batchBytes(int bytes);

  /**
   * How many nodes are asked at the same time.
   *
   * @param nodes at least 1; {@link #DEFAULT_PARALLELISM} unless set
   */
  CacheStream<K, V> parallelism(int nodes);

  /** One node after the other: {@code parallelism(1)}. */
  default CacheStream<K, V> sequential() {
    return parallelism(1);
  }

  /**
   * Divides the batch size and the byte budget by how quickly nodes answer, within the same totals,
   * instead of equally; and asks another owner, at the cursor, when a node is late: after eight
   * times as long as requests of this stream usually take, and at least 50 ms, while the consumer
   * has nothing to do. Late answers are dropped. For clusters of unequal nodes or links; on equal
   * ones it brings nothing.
   */
  CacheStream<K, V> adaptiveCredit();

  /**
   * Ends the stream with a {@link dev.headrace.api.error.StreamDeadlineException}, which carries a
   * resume token for exactly what remains, if it has not ended this long after it was subscribed
   * to. Its buffers are freed then, even if the consumer requests nothing. An iterator looks at the
   * time with each batch. With a deadline keys travel also for {@link #values}.
   *
   * @param deadline above 0, at most 365 days; none unless set
   */
  CacheStream<K, V> deadline(Duration deadline);

  /**
   * What the stream promises while ownership changes.
   *
   * @param delivery {@link Delivery#EXACTLY_ONCE} unless set
   */
  CacheStream<K, V> delivery(Delivery delivery);

  /**
   * Only these segments.
   *
   * @param segments each below the cluster's number of segments, which is {@code
   *     node.status().segments()}; {@link org.infinispan.commons.util.IntSets} makes such sets
   */
  CacheStream<K, V> segments(IntSet segments);

  /**
   * Only these keys, as far as they are present.
   *
   * @param keys are encoded before this returns
   * @throws ClassCastException for a key of another type than the cache's
   */
  CacheStream<K, V> keys(Set<? extends K> keys);

  /**
   * Only what remained when the token was made. The token's segments take the place of {@link
   * #segments}; the token of a stream of chosen keys needs the same {@link #keys(Set)} again.
   *
   * @param token from {@link StreamListener#batchConsumed}, a {@link TokenedElement} or a {@link
   *     dev.headrace.api.error.StreamInterruptedException}
   * @throws dev.headrace.api.error.ResumeTokenException if the token is damaged, belongs to another
   *     cache or cluster, needs other keys, or outlived the data that it points to (the last three
   *     when subscribed)
   */
  CacheStream<K, V> resumeFrom(String token);

  /**
   * Only what remained of a stream with {@link ContentPublisher#rails rails}: what no rail had
   * handed over when its token was made. A rail without a token counts as one that has handed over
   * nothing.
   *
   * @param tokens at least one, the newest of each rail
   * @throws dev.headrace.api.error.ResumeTokenException as above, or if they are not tokens of one
   *     stream
   */
  CacheStream<K, V> resumeFrom(Collection<String> tokens);

  /**
   * Where signals are sent from; an executor of the node by default. Iterators do not use it. What
   * it would run on a thread of the node's network or timer, the node's executor runs instead.
   */
  CacheStream<K, V> executor(Executor executor);

  /**
   * Watches the stream's progress.
   *
   * @param listener is called for every subscription
   */
  CacheStream<K, V> listener(StreamListener listener);

  /** The entries. */
  ContentPublisher<Map.Entry<K, V>> entries();

  /** The keys; values do not travel. */
  ContentPublisher<K> keys();

  /** The values; keys do not travel. */
  ContentPublisher<V> values();
}
