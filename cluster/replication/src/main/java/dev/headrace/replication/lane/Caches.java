package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.Recoveries;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
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
  private final LaneContext around;
  private final Consumer<Lane> wakeUp;
  private final Function<HashSpace, SegmentStore> stores;
  private final Map<String, CacheSegments> caches = new ConcurrentHashMap<>();

  /** Held while tables and the set of caches change. */
  private final Object changes = new Object();

  private volatile @Nullable LocalReplicas local;

  /**
   * @param wakeUp is given lanes that have something to ask although nothing has happened to them
   */
  Caches(LaneContext around, Function<HashSpace, SegmentStore> stores, Consumer<Lane> wakeUp) {
    this.around = around;
    this.stores = stores;
    this.wakeUp = wakeUp;
  }

  /** What this node holds now, or null before the first table. */
  @Nullable LocalReplicas local() {
    return local;
  }

  /** See {@link Recoveries}. */
  boolean recovered(int segment, long segmentEpoch) {
    LocalReplicas now = local;
    if (now == null || now.table().segmentEpoch(segment) != segmentEpoch) {
      return false;
    }
    for (CacheSegments cache : caches.values()) {
      Lane lane = cache.find(segment);
      boolean has =
          lane == null ? cache.isOpen(segment, now) : lane.role().recoveredUnder(segmentEpoch);
      if (!has) {
        return false;
      }
    }
    return true;
  }

  /** A cache, or null if nothing of it was ever here. */
  @Nullable CacheSegments find(String name) {
    return caches.get(name);
  }

  Collection<CacheSegments> all() {
    return caches.values();
  }

  /**
   * Takes a newer table over; the lanes adopt it when they run next.
   *
   * @param changed the segments whose owners have changed since the last table; null if it is not
   *     known what was in between
   * @return the segments whose lanes have to run now; null for an older table
   */
  int @Nullable [] tableChanged(SegmentTable table, int @Nullable [] changed) {
    synchronized (changes) {
      LocalReplicas before = local;
      if (before != null
          && before.table().clusterId() == table.clusterId()
          && table.epoch() <= before.table().epoch()) {
        return null;
      }
      if (before == null || !LocalReplicas.sameContent(before.table(), table)) {
        return begin(before, table);
      }
      int[] moved = changed == null ? difference(before.table(), table) : changed;
      if (before.table().written()) {
        for (int segment : moved) {
          around.formerOwners().changed(segment, before.table(), table, changed != null);
        }
      } else {
        around.formerOwners().placedAnew(before.table(), table);
      }
      adopt(before.next(table, moved), moved);
      return moved;
    }
  }

  private int[] begin(@Nullable LocalReplicas before, SegmentTable table) {
    if (before != null) {
      retireAll();
      around.formerOwners().forgetAll();
    }
    int[] all = IntStream.range(0, table.segments()).toArray();
    LocalReplicas first = LocalReplicas.of(before, table, around.settings().self());
    boolean somebodyHasLeft = table.excludedAt() != SegmentTable.NEVER;
    if (somebodyHasLeft && IntStream.of(all).anyMatch(first::owns)) {
      around.formerOwners().unknownBefore(table);
    }
    adopt(first, all);
    return all;
  }

  private void adopt(LocalReplicas now, int[] moved) {
    // Before the table is known, so that no lane has written to what is opened here.
    for (CacheSegments cache : caches.values()) {
      for (int segment : moved) {
        openHeld(cache, segment, now);
      }
    }
    local = now;
    for (CacheSegments cache : caches.values()) {
      for (int segment : moved) {
        dropUnused(cache, segment, now);
      }
    }
  }

  private static int[] difference(SegmentTable before, SegmentTable now) {
    return IntStream.range(0, now.segments())
        .filter(segment -> before.segmentEpoch(segment) != now.segmentEpoch(segment))
        .toArray();
  }

  /**
   * A cache that an owner knows, which is made if it is not there. Owners must not refuse what
   * their primary has let in, so there is room for more than a primary lets in; but not for
   * whatever somebody sends who is no good node.
   *
   * @throws IllegalStateException if there is no room
   */
  CacheSegments obtain(String name) {
    CacheSegments present = caches.get(name);
    if (present == null && caches.size() >= Lanes.MAX_CACHES_OF_OWNERS) {
      throw new IllegalStateException(
          "cache \"" + name + "\" is one too many: there are " + caches.size() + " already");
    }
    return present != null ? present : create(name);
  }

  /** A cache that a caller names, which is made if it is not there; null if there are too many. */
  @Nullable CacheSegments admit(String name) {
    CacheSegments present = caches.get(name);
    if (present != null) {
      return present;
    }
    // Threads that find the last room at the same time all take it.
    return caches.size() < Lanes.MAX_CACHES ? create(name) : null;
  }

  /** A cache of this name without anything in it, which is not kept. */
  CacheSegments transientCache(String name) {
    synchronized (changes) {
      return make(name, joinedReplicas(name));
    }
  }

  private CacheSegments create(String name) {
    synchronized (changes) {
      CacheSegments present = caches.get(name);
      if (present != null) {
        return present;
      }
      LocalReplicas now = joinedReplicas(name);
      CacheSegments made = make(name, now);
      for (int segment = 0; segment < made.store().segments(); segment++) {
        if (now.owns(segment) && !now.holds(segment)) {
          wakeUp.accept(made.lane(segment));
        }
      }
      caches.put(name, made);
      return made;
    }
  }

  private CacheSegments make(String name, LocalReplicas now) {
    CacheSegments made = new CacheSegments(name, stores.apply(now.space()), around);
    for (int segment = 0; segment < made.store().segments(); segment++) {
      openHeld(made, segment, now);
    }
    return made;
  }

  private LocalReplicas joinedReplicas(String name) {
    LocalReplicas now = local;
    if (now == null) {
      throw new IllegalStateException(
          "cache \"" + name + "\" cannot be opened before the node has joined its cluster");
    }
    return now;
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

  private static void openHeld(CacheSegments cache, int segment, LocalReplicas now) {
    SegmentStore store = cache.store();
    if (now.holds(segment) && store.replica(segment) == null) {
      store.open(segment, now.table().incarnation(segment), ReplicaState.OWNER);
    }
  }

  /** Drops what has no lane; a lane drops its replica itself. */
  private static void dropUnused(CacheSegments cache, int segment, LocalReplicas now) {
    if (!now.owns(segment) && cache.find(segment) == null) {
      cache.store().drop(segment);
    }
  }
}
