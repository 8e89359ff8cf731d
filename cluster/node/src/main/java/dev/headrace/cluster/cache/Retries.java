package dev.headrace.cluster.cache;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.cache.CacheView.Patience;

/** Counts how often a computation was decided in vain, because another write came in between. */
final class Retries {
  private final String cache;
  private final Patience patience;
  private final long sinceNanos;
  private int attempts;

  Retries(String cache, Patience patience) {
    this.cache = cache;
    this.patience = patience;
    this.sinceNanos = patience.nanoTime().getAsLong();
  }

  /** How often another write came in between. */
  int attempts() {
    return attempts;
  }

  /** Whether the computation has taken as long as an operation may. */
  boolean overdue() {
    return patience.nanoTime().getAsLong() - sinceNanos >= patience.operationNanos();
  }

  /**
   * Counts another write in between.
   *
   * @throws UnavailableException if the computation has taken as long as an operation may
   */
  void again() {
    attempts++;
    if (overdue()) {
      throw new UnavailableException(
          ("A computation on a key of cache \"%s\" was overtaken by other writes %d times in a row"
                  + " and nothing was written: try again, or raise operationTimeout")
              .formatted(cache, attempts),
          FaultScope.ofCache(cache));
    }
  }
}
