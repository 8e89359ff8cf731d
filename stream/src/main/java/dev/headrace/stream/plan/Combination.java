package dev.headrace.stream.plan;

/**
 * A result that is made of partial ones. For one thread at a time.
 *
 * @param <R> the result
 */
interface Combination<R> {

  /** Adds a partial result. */
  void add(byte[] partial);

  /** The result of all that were added. */
  R result();
}
