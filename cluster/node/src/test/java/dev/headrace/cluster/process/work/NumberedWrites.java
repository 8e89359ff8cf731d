package dev.headrace.cluster.process.work;

import dev.headrace.api.Cache;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;

/**
 * Writes one number after the other to each key of its own. A value also names the number that was
 * acknowledged before it: those between the two may have been written or not. Used by one thread at
 * a time.
 */
final class NumberedWrites {
  private static final int KEYS = 32;
  private static final String AFTER = " after ";

  private final Cache<String, String> cache;
  private final String owner;
  private final long[] begun = new long[KEYS];
  private final long[] acknowledged = new long[KEYS];
  private int turns;

  /**
   * @param owner names the keys; nobody else has this name
   */
  NumberedWrites(Cache<String, String> cache, String owner) {
    this.cache = cache;
    this.owner = owner;
  }

  /** Writes the next number of the next key. */
  void turn() {
    int key = turns++ % KEYS;
    long number = ++begun[key];
    try {
      cache.put(owner + "-" + key, number + AFTER + acknowledged[key]);
      acknowledged[key] = number;
    } catch (OutcomeUnknownException e) {
      // The next value says so.
    } catch (UnavailableException e) {
      begun[key]--;
    }
  }

  /** The number that a value has. */
  static long number(String value) {
    return Long.parseLong(value.substring(0, value.indexOf(AFTER)));
  }

  /** The number that was acknowledged before it. */
  static long before(String value) {
    return Long.parseLong(value.substring(value.indexOf(AFTER) + AFTER.length()));
  }
}
