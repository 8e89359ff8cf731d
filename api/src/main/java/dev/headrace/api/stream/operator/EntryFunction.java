package dev.headrace.api.stream.operator;

import org.jspecify.annotations.Nullable;

/**
 * What a node does with an entry. Called by several threads at the same time, and for one entry
 * more than once if its segment moves or an answer is lost: it should have no effects of its own.
 * It may take its time, since it runs on threads for functions; but a stream waits for it.
 *
 * @param <K> the key
 * @param <V> the value
 * @param <A> the argument of the call
 * @param <R> the result
 */
@FunctionalInterface
public interface EntryFunction<K, V, A, R> {

  /**
   * The result for an entry.
   *
   * @return null for none
   * @throws RuntimeException if there can be none, which ends the stream with a {@link
   *     dev.headrace.api.error.FunctionFailedException}
   */
  @Nullable R apply(K key, V value, A argument);
}
