package dev.headrace.jcache.entry;

import org.jspecify.annotations.Nullable;

/**
 * What is to become of an entry, depending on its value.
 *
 * @param <V> the cache's values
 * @param <R> what the caller is told
 */
@FunctionalInterface
public interface EntryOperation<V, R> {

  /**
   * Decides. It is asked again if another node has changed the entry in between.
   *
   * @param present the present value; null if the key is absent
   */
  EntryVerdict<V, R> decide(@Nullable V present);
}
