package dev.headrace.replication.lane;

import java.util.ArrayList;
import java.util.List;

/**
 * When what was acknowledged in one segment of one cache, as numbers of a primary's row: a mutation
 * is there to stay from the moment on at which it or a later one of its term was acknowledged.
 */
final class FirmTerms {
  static final long NEVER = Long.MAX_VALUE;

  private final List<Acknowledged> all = new ArrayList<>();

  private record Acknowledged(long term, long counter, long nanos) {}

  /** A mutation was acknowledged that has left, or found, an entry of this version. */
  void acknowledged(long term, long counter, long nanos) {
    all.add(new Acknowledged(term, counter, nanos));
  }

  /** When it was certain that a mutation can never be undone, {@link #NEVER} if it is not. */
  long firmAt(long term, long counter) {
    long nanos = NEVER;
    for (Acknowledged one : all) {
      if (one.term == term && one.counter >= counter) {
        nanos = Math.min(nanos, one.nanos);
      }
    }
    return nanos;
  }
}
