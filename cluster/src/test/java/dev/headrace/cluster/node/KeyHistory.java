package dev.headrace.cluster.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was done to one key, and what may therefore be seen of it. Every write has a value of its
 * own, so that a value tells which write it comes from.
 */
final class KeyHistory {
  private static final long NEVER = Long.MAX_VALUE;

  private final String key;
  private final List<Write> writes = new ArrayList<>();

  KeyHistory(String key) {
    this.key = key;
    Write absent = new Write(null, Long.MIN_VALUE);
    absent.acknowledged(Long.MIN_VALUE);
    writes.add(absent);
  }

  /** A write has begun; until its end is told it may take effect at any time. */
  Write begin(@Nullable Integer value, long nowNanos) {
    Write write = new Write(value, nowNanos);
    writes.add(write);
    return write;
  }

  /**
   * Checks a value that was seen.
   *
   * @param fromNanos when the look began
   * @param toNanos when it ended
   */
  void seen(@Nullable Integer value, long fromNanos, long toNanos, String where) {
    boolean possible =
        writes.stream()
            .filter(write -> Objects.equals(write.value, value) && write.startNanos <= toNanos)
            .anyMatch(write -> !write.refused && !overwritten(write, fromNanos));
    if (!possible) {
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

  /** Whether an acknowledged write began after this one's end and ended before a moment. */
  private boolean overwritten(Write write, long momentNanos) {
    return writes.stream()
        .anyMatch(
            later ->
                !later.refused
                    && later.endNanos < momentNanos
                    && later.startNanos > write.endNanos);
  }

  /** One write. */
  static final class Write {
    private final @Nullable Integer value;
    private final long startNanos;
    private long endNanos = NEVER;
    private boolean refused;

    Write(@Nullable Integer value, long startNanos) {
      this.value = value;
      this.startNanos = startNanos;
    }

    void acknowledged(long nowNanos) {
      endNanos = nowNanos;
    }

    /** It has had no effect, and never may have. */
    void refused() {
      refused = true;
    }

    @Override
    public String toString() {
      return value
          + (refused ? " refused " : " ")
          + startNanos
          + ".."
          + (endNanos == NEVER ? "?" : endNanos);
    }
  }
}
