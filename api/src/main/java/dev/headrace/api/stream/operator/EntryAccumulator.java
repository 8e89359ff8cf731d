package dev.headrace.api.stream.operator;

/**
 * Adds an entry to the state of a reduction, on the node that has the entry. A state belongs to one
 * thread at a time and is discarded if its answer is lost: nothing but the state may change.
 *
 * @param <S> the state
 * @param <K> the key
 * @param <V> the value
 * @param <A> the argument of the call
 */
@FunctionalInterface
public interface EntryAccumulator<S, K, V, A> {

  /**
   * The state with one more entry.
   *
   * @return the same state, changed, or another one; null fails the reduction
   */
  S add(S state, K key, V value, A argument);
}
