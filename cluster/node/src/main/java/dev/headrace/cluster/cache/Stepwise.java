package dev.headrace.cluster.cache;

import org.jspecify.annotations.Nullable;

/**
 * A method that sends much and waits for it in steps, on one thread at a time: the thread that
 * calls it, or one of the node's after another.
 */
interface Stepwise {

  /**
   * Handles what has come and sends what there is room for.
   *
   * @return whether all has ended; if not, whoever steps will be woken
   */
  boolean step();

  /** After the end: the first thing that went wrong, or null. */
  @Nullable Throwable failure();
}
