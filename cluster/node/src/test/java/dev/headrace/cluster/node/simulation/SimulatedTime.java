package dev.headrace.cluster.node.simulation;

import dev.headrace.stream.Timer;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** One thread's worth of world: a clock that jumps from event to event, and the only randomness. */
public final class SimulatedTime implements Timer {
  /** One millisecond. */
  public static final long MILLI = 1_000_000;

  private static final long MAX_EVENTS = 5_000_000;
  private static final long LOOK_NANOS = 10 * MILLI;

  public final Random random;
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

  /** How many events have run. */
  long ran() {
    return ran;
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Event event = new Event(nowNanos + Math.max(0, delayNanos), sequence++, task);
    events.add(event);
    return () -> event.cancelled = true;
  }

  /** Runs something between now and so many milliseconds on. */
  public void within(long millis, Runnable task) {
    schedule((long) (random.nextDouble() * millis * MILLI), task);
  }

  /** A delay between two bounds, mostly near the lower one. */
  long delayNanos(long leastMicros, long mostMicros) {
    double drawn = random.nextDouble();
    double skewed = drawn * drawn * drawn * drawn;
    return 1000 * (leastMicros + (long) (skewed * (mostMicros - leastMicros)));
  }

  /** Whether something happens that does so once in so many times. */
  public boolean onceIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** Lets so much time pass. */
  void pass(long millis) {
    runUntil(() -> false, millis);
  }

  /**
   * Runs until a condition holds, at most so long in simulated time; returns whether it does. The
   * condition is looked at a hundred times in a second.
   */
  boolean runUntil(BooleanSupplier condition, long mostMillis) {
    long deadlineNanos = nowNanos + mostMillis * MILLI;
    long lookNanos = nowNanos;
    while (true) {
      Event next = events.peek();
      long nextNanos = next == null ? deadlineNanos : Math.min(next.atNanos, deadlineNanos);
      if (nextNanos >= lookNanos) {
        if (condition.getAsBoolean()) {
          return true;
        }
        lookNanos = Math.max(lookNanos, nowNanos) + LOOK_NANOS;
      }
      if (next == null || next.atNanos > deadlineNanos) {
        nowNanos = deadlineNanos;
        return condition.getAsBoolean();
      }
      events.remove();
      if (++ran > MAX_EVENTS) {
        throw new AssertionError("the simulation does not come to rest");
      }
      nowNanos = Math.max(nowNanos, next.atNanos);
      if (!next.cancelled) {
        next.task.run();
      }
    }
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
