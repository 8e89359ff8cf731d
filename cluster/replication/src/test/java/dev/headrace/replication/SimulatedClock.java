package dev.headrace.replication;

import java.util.PriorityQueue;

/**
 * The time of a simulation in one thread: it jumps from event to event. Events at one time run in
 * the order in which they were scheduled, so that a seed always leads to the same life.
 */
public final class SimulatedClock {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos;
  private long scheduled;

  private record Event(long atNanos, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** A clock that shows this time, without events. */
  public SimulatedClock(long startNanos) {
    nowNanos = startNanos;
  }

  public long nowNanos() {
    return nowNanos;
  }

  /** Schedules an action. */
  public void after(long delayNanos, Runnable action) {
    events.add(new Event(nowNanos + delayNanos, scheduled++, action));
  }

  /** Runs the next event. If there is none until the given time, returns false at that time. */
  public boolean step(long untilNanos) {
    Event next = events.peek();
    if (next == null || next.atNanos > untilNanos) {
      nowNanos = untilNanos;
      return false;
    }
    events.poll();
    nowNanos = next.atNanos;
    next.action.run();
    return true;
  }
}
