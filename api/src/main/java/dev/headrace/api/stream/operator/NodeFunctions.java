package dev.headrace.api.stream.operator;

import dev.headrace.api.codec.Codec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Functions of a user that nodes run on the entries that they have. They are registered by {@code
 * NodeSettings.Builder.functions}, on each node with a capacity, and called by their names:
 *
 * <pre>{@code
 * FunctionName<Double, Double> discounted =
 *     FunctionName.of("discounted", Codecs.of(Double.class), Codecs.of(Double.class));
 *
 * settings.functions(
 *     NodeFunctions.over(Codecs.string(), Codecs.record(Quote.class))
 *         .map(discounted, (symbol, quote, percent) -> quote.price() * (1 - percent / 100)));
 *
 * quotes.stream().map(discounted, 10.0)
 * }</pre>
 *
 * <p>Immutable: each method returns a larger set.
 *
 * @param <K> the keys of the entries
 * @param <V> their values
 */
public final class NodeFunctions<K, V> {

  private final Codec<K> keyCodec;
  private final Codec<V> valueCodec;
  private final List<NodeFunction<?, ?, ?, ?>> functions;

  private NodeFunctions(
      Codec<K> keyCodec, Codec<V> valueCodec, List<NodeFunction<?, ?, ?, ?>> functions) {
    this.keyCodec = Objects.requireNonNull(keyCodec, "keyCodec");
    this.valueCodec = Objects.requireNonNull(valueCodec, "valueCodec");
    this.functions = List.copyOf(functions);
  }

  /**
   * No functions yet, for entries of these codecs.
   *
   * @param keyCodec as of the caches that the functions are called for
   * @param valueCodec likewise
   */
  public static <K, V> NodeFunctions<K, V> over(Codec<K> keyCodec, Codec<V> valueCodec) {
    return new NodeFunctions<>(keyCodec, valueCodec, List.of());
  }

  /** A function that chooses entries; null counts as false. */
  public <A> NodeFunctions<K, V> filter(
      FunctionName<A, Boolean> name, EntryFunction<K, V, A, Boolean> function) {
    Objects.requireNonNull(function, "function");
    return with(new NodeFunction.Filter<>(name, keyCodec, valueCodec, function));
  }

  /** A function that makes one result of an entry; null for none. */
  public <A, R> NodeFunctions<K, V> map(
      FunctionName<A, R> name, EntryFunction<K, V, A, R> function) {
    Objects.requireNonNull(function, "function");
    return with(new NodeFunction.Mapping<>(name, keyCodec, valueCodec, function));
  }

  /** A function that makes any number of results of an entry; null for none. */
  public <A, R> NodeFunctions<K, V> flatMap(
      FunctionName<A, R> name, EntryFunction<K, V, A, Iterable<R>> function) {
    Objects.requireNonNull(function, "function");
    return with(new NodeFunction.FlatMapping<>(name, keyCodec, valueCodec, function));
  }

  /**
   * A reduction of what a function makes of entries.
   *
   * @param function makes something of an entry; null for nothing
   * @param combiner associative and commutative: entries come in any order; never returns null
   */
  public <A, R> NodeFunctions<K, V> reduce(
      FunctionName<A, R> name, EntryFunction<K, V, A, R> function, BinaryOperator<R> combiner) {
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(combiner, "combiner");
    return with(new NodeFunction.Reducing<>(name, keyCodec, valueCodec, function, combiner));
  }

  /**
   * A reduction that adds entries to a state. Where the states of several answers are combined, the
   * stream's caller says how.
   *
   * @param supplier makes an empty state, a new one at each call
   * @param accumulator adds an entry
   */
  public <A, S> NodeFunctions<K, V> collect(
      FunctionName<A, S> name, Supplier<S> supplier, EntryAccumulator<S, K, V, A> accumulator) {
    Objects.requireNonNull(supplier, "supplier");
    Objects.requireNonNull(accumulator, "accumulator");
    return with(new NodeFunction.Collecting<>(name, keyCodec, valueCodec, supplier, accumulator));
  }

  /**
   * A processor, which changes one entry on the primary of its segment; called by {@code
   * Cache.process}. The new values are encoded by this codec, so it must be of the cache's format.
   */
  public <A, R> NodeFunctions<K, V> process(
      FunctionName<A, R> name, EntryProcessor<K, V, A, R> processor) {
    Objects.requireNonNull(processor, "processor");
    return with(new NodeFunction.Processing<>(name, keyCodec, valueCodec, processor));
  }

  private NodeFunctions<K, V> with(NodeFunction<?, ?, ?, ?> function) {
    List<NodeFunction<?, ?, ?, ?>> more = new ArrayList<>(functions);
    more.add(function);
    return new NodeFunctions<>(keyCodec, valueCodec, more);
  }

  /** The functions, as they were added. */
  public List<NodeFunction<?, ?, ?, ?>> functions() {
    return functions;
  }

  /** Their names. */
  @Override
  public String toString() {
    return functions.stream().map(function -> function.name().name()).toList().toString();
  }
}
