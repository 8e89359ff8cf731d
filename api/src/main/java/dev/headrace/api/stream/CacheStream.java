package dev.headrace.api.stream;

import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.GroupedReductions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.api.stream.operator.Row;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;

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
   * The largest number of encoded bytes buffered or in flight. For entries larger than a node's
   * share fewer nodes are asked at once; one that is larger than all of this travels alone.
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
   *     node.status().segments()}
   */
  CacheStream<K, V> segments(Set<Integer> segments);

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

  /**
   * Only the entries that a condition accepts. It is evaluated on the nodes that have the entries,
   * on their bytes: what it does not accept is neither decoded nor sent. Several filters must all
   * accept an entry. A stream that resumes from a token needs the same filters again, in the same
   * order; with others it ends with a {@link dev.headrace.api.error.ResumeTokenException}.
   *
   * <p>A stream sees each entry as it was when it was read, so it may hand over one that by now has
   * another value, which the condition would not accept.
   *
   * @param condition made with {@link dev.headrace.api.stream.operator.Expressions}
   * @throws IllegalArgumentException if it names what is not in the cache's records, or compares
   *     values of different types; the message names the fields that there are
   */
  CacheStream<K, V> filter(EntryCondition condition);

  /**
   * Only the entries for which a function of the nodes returns true. It is asked after all
   * conditions, and after the functions that were given before it.
   *
   * <p>This and the other calls of functions run where the entries are, on threads of their own.
   * For one entry a function may run more than once, when a segment moves or an answer is lost; its
   * results count once. If a node does not know the function, the stream ends with a {@link
   * dev.headrace.api.error.FunctionMissingException}; if the function throws, with a {@link
   * dev.headrace.api.error.FunctionFailedException}.
   *
   * @param function registered by {@code NodeSettings.Builder.functions}
   * @param argument what the function gets with each entry
   * @throws IllegalArgumentException if there are too many, or their arguments are too large
   */
  <A> CacheStream<K, V> filter(FunctionName<A, Boolean> function, A argument);

  /**
   * What a function of the nodes makes of each entry; nothing else is sent. As of {@link
   * #filter(FunctionName, Object)}.
   */
  <A, R> ContentPublisher<R> map(FunctionName<A, R> function, A argument);

  /**
   * A part of each entry that has it; entries whose part is null are left out. The nodes need no
   * class of yours for it.
   *
   * @param part of the key or the value
   * @param type what the part is; the wrapper of a primitive type
   * @throws IllegalArgumentException if there is no such part, or it has another type
   */
  <R> ContentPublisher<R> map(Operand part, Class<R> type);

  /**
   * What a function of the nodes makes of each entry, one after the other. As of {@link
   * #filter(FunctionName, Object)}.
   *
   * <p>The results of an entry travel together, and count as one entry of {@link #batchSize}; all
   * of them together may have as many bytes as an entry of the cluster ({@code
   * NodeSettings.maxEntryBytes}). A resume token stands between entries and never between the
   * results of one: a stream that is interrupted or has no more time hands these over first. So
   * there is no token at each result, and no rails.
   */
  <A, R> StreamPublisher<R> flatMap(FunctionName<A, R> function, A argument);

  /**
   * Some parts of each entry; nothing else is decoded or sent.
   *
   * @param fields names of components of the value, each as of {@link Expressions#field}
   * @throws IllegalArgumentException if there is no such field
   */
  default ContentPublisher<Row> select(String... fields) {
    return select(Arrays.stream(fields).map(Expressions::field).toArray(Operand[]::new));
  }

  /**
   * Some parts of each entry, each under the name that its {@link Operand#toString} gives.
   *
   * @param parts of keys and values: {@link Expressions#key}, {@link Expressions#field} and the
   *     like
   * @throws IllegalArgumentException if there is no such part, or one is named twice
   */
  ContentPublisher<Row> select(Operand... parts);

  /**
   * Some parts of each value, as a record.
   *
   * @param type its components have the names and types of components of the value
   * @throws IllegalArgumentException if a component has not
   */
  <R extends Record> ContentPublisher<R> select(Class<R> type);

  /** How many entries there are. */
  Reduction<Long> count();

  /**
   * Sum, least, greatest and mean of a number.
   *
   * @throws IllegalArgumentException if there is no such number
   */
  Reduction<FieldSummary> summarize(Operand number);

  /** The sum of a number; see {@link FieldSummary#sum}. */
  default Reduction<Number> sum(String field) {
    return summarize(Expressions.field(field)).map(FieldSummary::sum);
  }

  /** The least number, if there is any. */
  default Reduction<Optional<Number>> min(String field) {
    return summarize(Expressions.field(field)).map(FieldSummary::min);
  }

  /** The greatest number, if there is any. */
  default Reduction<Optional<Number>> max(String field) {
    return summarize(Expressions.field(field)).map(FieldSummary::max);
  }

  /** The mean of a number, if there is any. */
  default Reduction<OptionalDouble> avg(String field) {
    return summarize(Expressions.field(field)).map(FieldSummary::average);
  }

  /**
   * Reduces what a function of the nodes makes of each entry: on the nodes, as the function was
   * registered, and here what they answer. As of {@link #filter(FunctionName, Object)}.
   *
   * @param combiner as it is registered: associative and commutative; never returns null
   * @return empty if the function has made nothing of any entry
   */
  <A, R> Reduction<Optional<R>> reduce(
      FunctionName<A, R> function, A argument, BinaryOperator<R> combiner);

  /**
   * Adds entries to states on the nodes, and combines the states here. As of {@link
   * #filter(FunctionName, Object)}. A state that is too large for an answer is made anew of fewer
   * entries.
   *
   * @param function registered as {@code collect}: it has the accumulator, and the supplier that
   *     the nodes use
   * @param supplier makes an empty state
   * @param combiner combines two states, either of which it may change; associative and
   *     commutative; never returns null
   * @param finisher makes the result of the last state
   */
  <A, S, R> Reduction<R> collect(
      FunctionName<A, S> function,
      A argument,
      Supplier<S> supplier,
      BinaryOperator<S> combiner,
      Function<? super S, ? extends R> finisher);

  /**
   * Groups entries by a part of them, for reductions.
   *
   * @param type what the part is; the wrapper of a primitive type
   * @throws IllegalArgumentException if there is no such part, or it has another type
   */
  <G> GroupedReductions<G> groupBy(Operand part, Class<G> type);

  /** Groups entries by a component of the value; see {@link #groupBy(Operand, Class)}. */
  default <G> GroupedReductions<G> groupBy(String field, Class<G> type) {
    return groupBy(Expressions.field(field), type);
  }

  /**
   * This content, and then every later change of it, without gap or repetition where they meet:
   * {@code cache.changes().withContent()} for the {@link #segments}, {@link #keys(Set)}, {@link
   * #batchBytes} and {@link #executor} of this stream. Each entry comes as {@link
   * Change.Kind#PRESENT} before its changes, and one kind of token covers both ({@link
   * ChangeListener#consumed}, {@link ChangeStream#resumeFrom}). {@link #batchSize} and {@link
   * #parallelism} mean nothing here: all owners are asked, within the bound in bytes.
   *
   * @throws IllegalStateException if this stream has what changes cannot have: a filter, a token of
   *     its own, a deadline, adaptive credit, a {@link StreamListener}, or {@link
   *     Delivery#AT_MOST_ONCE}; the message says what to do instead
   */
  ChangeStream<K, V> thenChanges();
}
