package dev.headrace.rebalance.write;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.store.HashSpace;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The caches that this node knows, and the table under which it holds their segments. What it holds
 * is open from the beginning, so that a segment that was never written reads as empty; an empty
 * replica costs a few bytes.
 *
 * <p>Thread-safe. Changes of the table and of the set of caches come one after the other, under a
 * lock that is taken before any lane's monitor and under which nothing is sent.
 */
final class Caches {
  private final LaneSettings settings;
  private final Function<HashSpace, SegmentStore> stores;
  private final Map<String, CacheSegments> caches = new ConcurrentHashMap<>();

  /** Held while tables and the set of caches change. */
  private final Object changes = new Object();

  private volatile @Nullable Holdings holdings;

  Caches(LaneSettings settings, Function<HashSpace, SegmentStore> stores) {
    this.settings = settings;
    this.stores = stores;
  }

  /** What this node holds now, or null before the first table. */
  @Nullable Holdings holdings() {
    return holdings;
  }

  /** A cache, or null if nothing of it was ever here. */
  @Nullable CacheSegments find(String name) {
    return caches.get(name);
  }

  Collection<CacheSegments> all() {
    return caches.values();
  }

  /** Takes a newer table over; the lanes adopt it when they run next. False for an older one. */
  boolean tableChanged(SegmentTable table) {
    synchronized (changes) {
      Holdings before = holdings;
      if (before != null
          && before.table().island() == table.island()
          && table.epoch() <= before.table().epoch()) {
        return false;
      }
      if (before != null && !Holdings.sameContent(before.table(), table)) {
        retireAll();
      }
      Holdings now = Holdings.of(before, table, settings.self());
      // Before the table is known, so that no lane has written to what is opened here.
      caches.values().forEach(cache -> openHeld(cache, now));
      holdings = now;
      caches.values().forEach(cache -> dropUnused(cache, now));
      return true;
    }
  }

  /** A cache, which is made if it is not there. */
  CacheSegments obtain(String name) {
    CacheSegments present = caches.get(name);
    return present != null ? present : create(name);
  }

  private CacheSegments create(String name) {
    synchronized (changes) {
      CacheSegments present = caches.get(name);
      if (present != null) {
        return present;
      }
      Holdings now = holdings;
      if (now == null) {
        throw new IllegalStateException(
            "cache \"" + name + "\" cannot be opened before the node has joined its cluster");
      }
      if (caches.size() >= Lanes.MAX_CACHES) {
        throw new IllegalStateException(
            "cache \"%s\" cannot be opened: the node has %d caches already"
                .formatted(name, Lanes.MAX_CACHES));
      }
      CacheSegments made = new CacheSegments(name, stores.apply(now.space()), settings);
      openHeld(made, now);
      caches.put(name, made);
      return made;
    }
  }

  private void retireAll() {
    for (CacheSegments cache : caches.values()) {
      for (int segment = 0; segment < cache.store().segments(); segment++) {
        Lane lane = cache.lane(segment);
        synchronized (lane) {
          lane.retire();
        }
      }
    }
    caches.clear();
  }

  private static void openHeld(CacheSegments cache, Holdings now) {
    SegmentStore store = cache.store();
    for (int segment = 0; segment < store.segments(); segment++) {
      if (now.holds(segment) && store.replica(segment) == null) {
        store.open(segment, now.table().incarnation(segment), ReplicaState.OWNER);
      }
    }
  }

  /** Drops what has no lane; a lane drops its replica itself. */
  private static void dropUnused(CacheSegments cache, Holdings now) {
    for (int segment = 0; segment < cache.store().segments(); segment++) {
      if (!now.holds(segment) && cache.find(segment) == null) {
        cache.store().drop(segment);
      }
    }
  }
}
