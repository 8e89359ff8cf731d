package dev.headrace.api.stream.operator;

import org.jspecify.annotations.Nullable;

/**
 * Changes one entry where it is: on the primary of its segment. Called by several threads at the
 * same time, and for one call more than once if another write comes in between or the primary
 * changes: it should have no effects of its own. What the last run decides counts, exactly once.
 *
 * <p>Registered by {@link NodeFunctions#process}, called by {@code Cache.process}.
 *
 * @param <K> the key
 * @param <V> the value
 * @param <A> the argument of the call
 * @param <R> what the caller gets
 */
@FunctionalInterface
public interface EntryProcessor<K, V, A, R> {

  /**
   * Decides about an entry.
   *
   * @param value the present value; null if the key is absent
   * @return never null
   * @throws RuntimeException if there can be no decision, which ends the call with a {@link
   *     dev.headrace.api.error.FunctionFailedException} and leaves the entry as it is
   */
  EntryUpdate<V, R> process(K key, @Nullable V value, A argument);
}
