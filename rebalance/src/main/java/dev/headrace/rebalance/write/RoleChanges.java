package dev.headrace.rebalance.write;

import dev.headrace.stream.store.Replica;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The segments whose owners have changed and whose lanes have yet to be told. A lane that has
 * something else to do goes by the newest table anyway; the others must begin what the change asks
 * of them. Used by one thread, but for {@link #pending}.
 */
final class RoleChanges {
  private final Caches caches;
  private final LaneDriver driver;
  private final Queue<int[]> changes = new ArrayDeque<>();
  private int next; // of the first change
  private volatile boolean pending;

  RoleChanges(Caches caches, LaneDriver driver) {
    this.caches = caches;
    this.driver = driver;
  }

  void add(int[] segments) {
    if (segments.length > 0) {
      changes.add(segments);
      pending = true;
    }
  }

  /** Whether any lane has yet to be told. */
  boolean pending() {
    return pending;
  }

  /**
   * Tells the lanes of some segments.
   *
   * @return whether more are left
   */
  boolean tell(int maxSegments) {
    Holdings now = caches.holdings();
    for (int left = maxSegments; left > 0 && now != null && !changes.isEmpty(); left--) {
      tell(take(), now);
      pending = !changes.isEmpty(); // only now: until then a lane may owe something
    }
    return pending;
  }

  private int take() {
    int[] change = changes.element();
    int segment = change[next++];
    if (next == change.length) {
      next = 0;
      changes.remove();
    }
    return segment;
  }

  private void tell(int segment, Holdings now) {
    for (CacheSegments cache : caches.all()) {
      Lane lane = cache.find(segment);
      if (lane == null && now.owns(segment) && !isOpen(cache, segment, now)) {
        lane = cache.lane(segment);
      }
      if (lane != null) {
        driver.drive(lane, now, (driven, turn) -> {});
      }
    }
  }

  /** Whether whatever a node holds without a lane can be read. */
  private static boolean isOpen(CacheSegments cache, int segment, Holdings now) {
    Replica replica = cache.store().replica(segment);
    return now.holds(segment)
        && replica != null
        && replica.incarnation() == now.table().incarnation(segment);
  }
}
