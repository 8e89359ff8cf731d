package dev.headrace.replication.lane;

import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The lanes that wait for something that time moves on, each once. Thread-safe. */
final class TickQueue implements Iterable<Lane> {
  private final ConcurrentLinkedQueue<Lane> lanes = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();

  /** Adds a lane that is not there; its monitor is taken. */
  void add(Lane lane) {
    synchronized (lane) {
      if (!lane.attended()) {
        lane.attend(true);
        lanes.add(lane);
        size.incrementAndGet();
      }
    }
  }

  /** Takes the lane out that has been here longest, or returns null. */
  @Nullable Lane poll() {
    Lane lane = lanes.poll();
    if (lane != null) {
      size.decrementAndGet();
      synchronized (lane) {
        lane.attend(false);
      }
    }
    return lane;
  }

  /** How many there are. */
  int size() {
    return size.get();
  }

  @Override
  public Iterator<Lane> iterator() {
    return lanes.iterator();
  }
}
