package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was done to one key, and what may therefore be seen of it. Every write has a value of its
 * own, so that a value tells which write it comes from.
 */
final class KeyHistory {
  private final String key;
  private final List<Write> writes = new ArrayList<>();

  KeyHistory(String key) {
    this.key = key;
    Write absent = new Write(Write.Kind.PUT, null, null, Long.MIN_VALUE);
    absent.acknowledged(Long.MIN_VALUE);
    writes.add(absent);
  }

  /** A write has begun; until its end is told it may take effect at any time. */
  Write begin(Write.Kind kind, @Nullable Integer expected, @Nullable Integer value, long nowNanos) {
    Write write = new Write(kind, expected, value, nowNanos);
    writes.add(write);
    return write;
  }

  /** From now on the key may be gone, and with it whatever had not been overwritten. */
  void mayBeLost(long nowNanos) {
    writes.add(new Write(Write.Kind.LOSS, null, null, nowNanos));
  }

  /**
   * Checks a value that was seen.
   *
   * @param fromNanos when the look began
   * @param toNanos when it ended
   */
  void seen(@Nullable Integer value, long fromNanos, long toNanos, String where) {
    if (!possible(value, fromNanos, toNanos)) {
      throw new AssertionError(
          where
              + " saw "
              + key
              + " = "
              + value
              + " between "
              + fromNanos
              + " and "
              + toNanos
              + ", which contradicts "
              + writes);
    }
  }

  private boolean possible(@Nullable Integer value, long fromNanos, long toNanos) {
    for (Write write : writes) {
      if (write.mayHaveTakenEffect()
          && Objects.equals(write.value, value)
          && write.startNanos <= toNanos
          && !overwritten(write, fromNanos)) {
        return true;
      }
    }
    return false;
  }

  /** Whether an acknowledged write began after this one's end and ended before a moment. */
  private boolean overwritten(Write write, long momentNanos) {
    for (Write later : writes) {
      if (later.changed() && later.endNanos < momentNanos && later.startNanos > write.endNanos) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks that all mutations can be put in one order in which each of them found what its result
   * says, and whose end is the value that the key has now.
   */
  void inOrder(@Nullable Integer last) {
    if (!new Ordering(writes, last).exists()) {
      throw new AssertionError(
          "There is no order of the writes to " + key + " that ends with " + last + ": " + writes);
    }
  }
}
