package dev.headrace.replication.lane;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;

/**
 * The segments whose owners have changed and whose lanes have yet to be told. A lane that has
 * something else to do goes by the newest table anyway; the others must begin what the change asks
 * of them. Thread-safe.
 */
final class RoleChanges {
  private final Caches caches;
  private final LaneDriver driver;
  private final Queue<int[]> changes = new ArrayDeque<>(); // guarded by this
  private int next; // of the first change; guarded by this
  private int untold; // segments; guarded by this

  RoleChanges(Caches caches, LaneDriver driver) {
    this.caches = caches;
    this.driver = driver;
  }

  synchronized void add(int[] segments) {
    if (segments.length > 0) {
      changes.add(segments);
      untold += segments.length;
    }
  }

  /** Whether any lane has yet to be told. */
  synchronized boolean pending() {
    return untold > 0;
  }

  /**
   * Tells the lanes of some segments.
   *
   * @return whether more are left
   */
  boolean tell(int maxSegments) {
    for (int left = maxSegments; left > 0; left--) {
      int segment = take();
      if (segment < 0) {
        break;
      }
      try {
        tellLanes(segment);
      } finally {
        told(); // only now: until then a lane may owe something
      }
    }
    return pending();
  }

  private synchronized void told() {
    untold--;
  }

  /** The next segment, or -1. */
  private synchronized int take() {
    int[] change = changes.peek();
    if (change == null) {
      return -1;
    }
    int segment = change[next++];
    if (next == change.length) {
      next = 0;
      changes.remove();
    }
    return segment;
  }

  private void tellLanes(int segment) {
    LocalReplicas now = Objects.requireNonNull(caches.local()); // a table has changed something
    for (CacheSegments cache : caches.all()) {
      Lane lane = cache.find(segment);
      if (lane == null && now.owns(segment) && !cache.isOpen(segment, now)) {
        lane = cache.lane(segment);
      }
      if (lane != null) {
        driver.drive(lane, LaneDriver.Event.NEWEST_TABLE);
      }
    }
  }
}
