package dev.headrace.rebalance.write.caller;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one share of the segments, and the calls under way there. Thread-safe, without
 * locks.
 *
 * <p>Numbers come in order and are given back in any; the oldest that is still out moves on when it
 * comes back, past all that came back before it: each number is passed once. A caller has several
 * strands so that one segment without an answer holds back only its own strand.
 */
final class Strand {

  /** Numbers that may be out at the same time, from the oldest to the newest. */
  static final int CAPACITY = 4096;

  private static final int MASK = CAPACITY - 1;

  private final AtomicReferenceArray<@Nullable Call> calls = new AtomicReferenceArray<>(CAPACITY);

  /** In each place the last number of that place that has come back. */
  private final AtomicLongArray ended = new AtomicLongArray(CAPACITY);

  private final AtomicLong next = new AtomicLong(1);
  private final AtomicLong oldest = new AtomicLong(1);

  /** The next number, or 0 if too many are out. */
  long take() {
    while (true) {
      long number = next.get();
      if (number - oldest.get() >= CAPACITY) {
        return 0;
      }
      if (next.compareAndSet(number, number + 1)) {
        return number;
      }
    }
  }

  /** The call can be found from now on. */
  void put(Call call) {
    calls.set((int) call.number() & MASK, call);
  }

  /** The call of a number, or null if it has ended. */
  @Nullable Call find(long number) {
    Call call = calls.get((int) number & MASK);
    return call != null && call.number() == number ? call : null;
  }

  /** Ends a call; true for one thread only. */
  boolean end(Call call) {
    int place = (int) call.number() & MASK;
    if (!calls.compareAndSet(place, call, null)) {
      return false;
    }
    ended.set(place, call.number());
    long first = oldest.get();
    while (ended.get((int) first & MASK) == first) {
      oldest.compareAndSet(first, first + 1);
      first = oldest.get();
    }
    return true;
  }

  /** No number below this one is out. */
  long oldest() {
    return oldest.get();
  }

  /** The number that will be given next. */
  long next() {
    return next.get();
  }
}
