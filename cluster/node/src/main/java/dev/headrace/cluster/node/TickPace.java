package dev.headrace.cluster.node;

/**
 * How often a node is told that time has passed: every 5 ms while anything waits for that, else
 * every 20 ms, which spares an idle node three of four wake-ups. Time-outs and repetitions are of
 * 20 ms and more; finer ticks help moves, repairs, expiry in bulk, and calls that are to be tried
 * again. Not thread-safe.
 */
final class TickPace {
  static final long HURRIED_NANOS = 5_000_000L;
  static final long UNHURRIED_NANOS = 20_000_000L;

  private long lastNanos;
  private long unhurriedNanos;

  /** The first tick is that of everything. */
  TickPace(long nowNanos) {
    lastNanos = nowNanos - HURRIED_NANOS;
    unhurriedNanos = nowNanos - UNHURRIED_NANOS;
  }

  /**
   * A tick begins.
   *
   * @return how many ticks of 5 ms it stands for, at least 1 and at most 4: steps that are bounded
   *     per tick are so many times as large
   */
  int begin(long nowNanos) {
    long ticks = (nowNanos - lastNanos + HURRIED_NANOS / 2) / HURRIED_NANOS;
    lastNanos = nowNanos;
    return (int) Math.max(1, Math.min(UNHURRIED_NANOS / HURRIED_NANOS, ticks));
  }

  /** Whether what can wait for 20 ms has its turn in this tick. */
  boolean isTurnOfAll(boolean hurried) {
    boolean turn = hurried || lastNanos - unhurriedNanos >= UNHURRIED_NANOS;
    if (turn) {
      unhurriedNanos = lastNanos;
    }
    return turn;
  }

  /** When the next tick should come, in nanoseconds after the end of this one. */
  static long nextNanos(boolean hurried) {
    return hurried ? HURRIED_NANOS : UNHURRIED_NANOS;
  }
}
