package dev.headrace.api.stream.operator;

import dev.headrace.api.codec.Codec;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * A function that a node knows by its name; made by {@link NodeFunctions}. It brings the codecs of
 * the entries along, so that a node can run it that has never opened the cache. Immutable.
 *
 * @param <K> the keys of the entries
 * @param <V> their values
 * @param <A> the argument of a call
 * @param <R> what travels back
 */
public sealed interface NodeFunction<K, V, A, R> {

  /** By what it is called. */
  FunctionName<A, R> name();

  /** Decodes the keys. */
  Codec<K> keyCodec();

  /** Decodes the values. */
  Codec<V> valueCodec();

  /** What it can be called for, as the method of a stream or a cache is named. */
  String kind();

  /** Chooses entries. */
  record Filter<K, V, A>(
      FunctionName<A, Boolean> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      EntryFunction<K, V, A, Boolean> function)
      implements NodeFunction<K, V, A, Boolean> {
    @Override
    public String kind() {
      return "filter";
    }
  }

  /** Makes one result of an entry, or none. */
  record Mapping<K, V, A, R>(
      FunctionName<A, R> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      EntryFunction<K, V, A, R> function)
      implements NodeFunction<K, V, A, R> {
    @Override
    public String kind() {
      return "map";
    }
  }

  /** Makes any number of results of an entry. */
  record FlatMapping<K, V, A, R>(
      FunctionName<A, R> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      EntryFunction<K, V, A, Iterable<R>> function)
      implements NodeFunction<K, V, A, R> {
    @Override
    public String kind() {
      return "flatMap";
    }
  }

  /** Combines what it makes of entries. */
  record Reducing<K, V, A, R>(
      FunctionName<A, R> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      EntryFunction<K, V, A, R> function,
      BinaryOperator<R> combiner)
      implements NodeFunction<K, V, A, R> {
    @Override
    public String kind() {
      return "reduce";
    }
  }

  /** Adds entries to a state. */
  record Collecting<K, V, A, S>(
      FunctionName<A, S> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      Supplier<S> supplier,
      EntryAccumulator<S, K, V, A> accumulator)
      implements NodeFunction<K, V, A, S> {
    @Override
    public String kind() {
      return "collect";
    }
  }

  /** Changes one entry. */
  record Processing<K, V, A, R>(
      FunctionName<A, R> name,
      Codec<K> keyCodec,
      Codec<V> valueCodec,
      EntryProcessor<K, V, A, R> processor)
      implements NodeFunction<K, V, A, R> {
    @Override
    public String kind() {
      return "process";
    }
  }
}
