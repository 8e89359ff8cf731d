package dev.headrace.cluster.node;

import dev.headrace.stream.Timer;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** One thread's worth of world: a clock that jumps from event to event, and the only randomness. */
final class SimulatedTime implements Timer {
  private static final long MAX_EVENTS = 3_000_000;

  final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos = 1;
  private long sequence;
  private long ran;

  SimulatedTime(long seed) {
    random = new Random(seed);
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Event event = new Event(nowNanos + delayNanos, sequence++, task);
    events.add(event);
    return () -> event.cancelled = true;
  }

  /** A delay between two bounds, mostly near the lower one. */
  long delayNanos(long leastMicros, long mostMicros) {
    double skewed = Math.pow(random.nextDouble(), 4);
    return 1000 * (leastMicros + (long) (skewed * (mostMicros - leastMicros)));
  }

  /** Runs until a condition holds, at most so long in simulated time; returns whether it does. */
  boolean runUntil(BooleanSupplier condition, long mostMillis) {
    long deadlineNanos = nowNanos + mostMillis * 1_000_000;
    while (!condition.getAsBoolean()) {
      Event next = events.poll();
      if (next == null || next.atNanos > deadlineNanos) {
        if (next != null) {
          events.add(next);
        }
        nowNanos = deadlineNanos;
        return condition.getAsBoolean();
      }
      if (++ran > MAX_EVENTS) {
        throw new AssertionError("the simulation does not come to rest");
      }
      nowNanos = Math.max(nowNanos, next.atNanos);
      if (!next.cancelled) {
        next.task.run();
      }
    }
    return true;
  }

  private static final class Event implements Comparable<Event> {
    final long atNanos;
    final long sequence;
    final Runnable task;
    boolean cancelled;

    Event(long atNanos, long sequence, Runnable task) {
      this.atNanos = atNanos;
      this.sequence = sequence;
      this.task = task;
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }
}
