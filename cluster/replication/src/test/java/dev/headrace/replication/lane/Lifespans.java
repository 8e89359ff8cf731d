package dev.headrace.replication.lane;

import java.util.HashMap;
import java.util.Map;

/**
 * When values expire, and how far the nodes' clocks are apart. Who sees a value that has expired by
 * one of the clocks and not by another depends on the node; beyond that nothing is excused.
 */
final class Lifespans {
  private static final long MILLIS = 1_000_000L;

  private final Map<Integer, Long> expiries = new HashMap<>();
  private long slowestMillis;
  private long fastestMillis;

  /** A node's clock is ahead of the simulation's by so much; behind it if negative. */
  void clock(long aheadMillis) {
    slowestMillis = Math.min(slowestMillis, aheadMillis);
    fastestMillis = Math.max(fastestMillis, aheadMillis);
  }

  /** A value expires at some time; never, if that is 0. */
  void expires(int value, long expiryMillis) {
    if (expiryMillis != 0) {
      expiries.put(value, expiryMillis);
    }
  }

  /** When a value expires, 0 for never. */
  long expiryMillis(int value) {
    return expiries.getOrDefault(value, 0L);
  }

  /** Whether a node may still show a value to one who has begun to look at some time. */
  boolean mayBeSeen(int value, long beginNanos) {
    Long expiry = expiries.get(value);
    return expiry == null || beginNanos / MILLIS + slowestMillis < expiry;
  }

  /** Whether a value may have expired for one who has ended to look at some time. */
  boolean mayBeHidden(int value, long endNanos) {
    Long expiry = expiries.get(value);
    return expiry != null && endNanos / MILLIS + fastestMillis >= expiry;
  }
}
