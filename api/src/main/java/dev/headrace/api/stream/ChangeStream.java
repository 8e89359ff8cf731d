package dev.headrace.api.stream;

import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Prepares a stream of a cache's changes: of those from now on, of its content and all that change
 * it later ({@link #withContent}), or of those behind a token ({@link #resumeFrom}). It has no end.
 * Immutable: every setter returns a new one, and nothing happens before a publisher that it makes
 * is subscribed to.
 *
 * <p>A change is told when every owner of its key has it, so that no crash takes it back. Nodes
 * keep nothing for a subscriber: it pulls changes by their numbers out of what each node retains
 * for all ({@code NodeSettings.retainedChanges}). One that falls behind gets a summary instead of
 * an error ({@link Change.Kind#REPLACED}), and the right state with it.
 *
 * <p>A stream ends with a {@link dev.headrace.api.error.StreamInterruptedException} when a segment
 * has lost its content with all its owners, and with an {@link
 * dev.headrace.api.error.UnavailableException} if a node retains no changes. While a segment has no
 * living owner its changes wait.
 *
 * <p>Setters throw {@link IllegalArgumentException} for values out of range, and {@link
 * NullPointerException} for null.
 *
 * @param <K> the cache's keys
 * @param <V> the cache's values
 */
public interface ChangeStream<K, V> {

  /** Bytes buffered or in flight at {@link #batchBytes} unless set: 1 MiB. */
  int DEFAULT_BATCH_BYTES = 1 << 20;

  /** First the entries that are there, each as {@link Change.Kind#PRESENT}, then their changes. */
  ChangeStream<K, V> withContent();

  /**
   * With the value before each change.
   *
   * @see Change.OfKey#previous
   */
  ChangeStream<K, V> withPrevious();

  /**
   * Only the latest change of a key where several are at hand. Fewer elements, the same state; the
   * kind and the previous value are those of the latest.
   */
  ChangeStream<K, V> latestOnly();

  /**
   * The largest number of encoded bytes buffered or in flight, over all nodes that are asked. A
   * larger entry travels alone.
   *
   * @param bytes at least 1; {@link #DEFAULT_BATCH_BYTES} unless set
   */
  ChangeStream<K, V> batchBytes(int bytes);

  /**
   * Only these segments.
   *
   * @param segments each below the cluster's number of segments
   */
  ChangeStream<K, V> segments(Set<Integer> segments);

  /**
   * Only these keys. Ranges ({@link Change.OfRange}) are told of all their segments.
   *
   * @param keys are encoded before this returns
   */
  ChangeStream<K, V> keys(Set<? extends K> keys);

  /**
   * What follows an element of another stream of this cache, perhaps in another process. The
   * token's segments take the place of {@link #segments}, and what is left of its content comes,
   * too; other settings may differ.
   *
   * @param token from {@link ChangeListener#consumed} or a {@link
   *     dev.headrace.api.error.StreamInterruptedException}
   * @throws dev.headrace.api.error.ResumeTokenException if the token is damaged; if it belongs to
   *     another cache or cluster, or a segment has lost its content since, when subscribed
   */
  ChangeStream<K, V> resumeFrom(String token);

  /** Where signals are sent from; an executor of the node by default. Iterators do not use it. */
  ChangeStream<K, V> executor(Executor executor);

  /**
   * Watches the stream.
   *
   * @param listener is called for every subscription
   */
  ChangeStream<K, V> listener(ChangeListener listener);

  /** The changes. The publisher never completes. */
  StreamPublisher<Change<K, V>> changes();
}
