package dev.headrace.stream.pull;

import dev.headrace.stream.Timer;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/** The time of a simulation in one thread: what is due runs in order, and time jumps to it. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
abstract class SyntheticTime implements Timer, Executor {

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos = 17;
  private long order;

  private record Event(long atNanos, long order, Runnable task, boolean[] cancelled)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int time = Long.compare(atNanos, other.atNanos);
      return time != 0 ? time : Long.compare(order, other.order);
    }
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    boolean[] cancelled = new boolean[1];
    events.add(new Event(nowNanos + delayNanos, order++, task, cancelled));
    return () -> cancelled[0] = true;
  }

  @Override
  public void execute(Runnable task) {
    schedule(0, task);
  }

  /** Runs the next event; returns false if there is none. */
  boolean step() {
    Event next = events.poll();
    while (next != null && next.cancelled[0]) {
      next = events.poll();
    }
    if (next == null) {
      return false;
    }
    nowNanos = Math.max(nowNanos, next.atNanos);
    next.task.run();
    return true;
  }

  /** Runs events until none is left. */
  void settle() {
    int steps = 0;
    while (step()) {
      if (++steps > 2_000_000) {
        throw new AssertionError("the cluster does not come to rest");
      }
    }
  }

  void advanceNanos(long nanos) {
    boolean[] reached = new boolean[1];
    schedule(nanos, () -> reached[0] = true);
    while (!reached[0]) {
      step();
    }
  }
}
