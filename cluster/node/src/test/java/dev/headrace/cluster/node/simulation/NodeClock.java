package dev.headrace.cluster.node.simulation;

/** A monotonic clock that began anywhere, and goes a little too fast or too slowly. */
final class NodeClock {
  /** More than quartz is wrong by. */
  private static final double MOST_DRIFT = 500e-6;

  private final SimulatedTime time;
  private final long beganNanos;
  private final long originNanos;
  private final double rate;

  NodeClock(SimulatedTime time) {
    this.time = time;
    this.beganNanos = time.nanoTime();
    this.originNanos = time.random.nextLong() >> 4;
    this.rate = 1 + MOST_DRIFT * (2 * time.random.nextDouble() - 1);
  }

  long nanoTime() {
    return originNanos + (long) ((time.nanoTime() - beganNanos) * rate);
  }

  /** How long a time by this clock really takes. */
  long worldNanos(long nanos) {
    return (long) (nanos / rate);
  }
}
