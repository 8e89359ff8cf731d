package dev.headrace.cluster.cache;

import org.jspecify.annotations.Nullable;

/**
 * A method that sends many requests and waits for them in steps, on one thread at a time: the
 * calling thread, or threads of the node in turn.
 */
interface Stepwise {

  /**
   * Handles replies that have come, and sends what there is room for.
   *
   * @return whether everything has ended; if not, the stepping thread will be woken
   */
  boolean step();

  /** After the end: the first failure, or null. */
  @Nullable Throwable failure();
}
