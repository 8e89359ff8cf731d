package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import org.jspecify.annotations.Nullable;

/**
 * A segment table with what this node holds under it in every cache. Immutable, replaced as a
 * whole; the next one costs in proportion to what has changed.
 *
 * <p>A node holds what it owns as long as nothing was written, and a segment that begins anew
 * because all its owners were lost. What else it comes to own is copied to it, cache by cache:
 * there a lane knows whether it is in sync.
 */
final class LocalReplicas {
  private final SegmentTable table;
  private final HashSpace space;
  private final SegmentSet held;
  private final NodeId self;

  private LocalReplicas(SegmentTable table, HashSpace space, SegmentSet held, NodeId self) {
    this.table = table;
    this.space = space;
    this.held = held;
    this.self = self;
  }

  /** What is held under the first table, or under one that has nothing to do with the last. */
  static LocalReplicas of(@Nullable LocalReplicas before, SegmentTable table, NodeId self) {
    // The first written table that a node sees makes it an owner only if it was one before the
    // first write.
    boolean foreign = before != null && before.table.written() && table.written();
    SegmentSet.Editor held = SegmentSet.empty(table.segments()).edit();
    for (int segment = 0; segment < table.segments() && !foreign; segment++) {
      if (table.isOwner(segment, self)) {
        held.set(segment, true);
      }
    }
    if (before != null
        && before.table.segments() == table.segments()
        && before.table.hashSeed() == table.hashSeed()) {
      return new LocalReplicas(table, before.space, held.done(), self);
    }
    HashSpace space = new HashSpace(table.segments(), table.hashSeed());
    return new LocalReplicas(table, space, held.done(), self);
  }

  /**
   * What is held under a later table of the same content.
   *
   * @param changed the segments whose owners have changed
   */
  LocalReplicas next(SegmentTable newer, int[] changed) {
    SegmentSet.Editor next = held.edit();
    for (int segment : changed) {
      boolean owner = newer.isOwner(segment, self);
      // A segment that had no owner begins anew, whether this node has seen it lose them or not;
      // but one that has waited goes on with what those have for whom it waited.
      boolean reborn =
          newer.incarnation(segment) != table.incarnation(segment)
              || (table.ownerCount(segment) == 0 && !table.isWaiting(segment));
      next.set(segment, owner && (!table.written() || reborn || held.contains(segment)));
    }
    return new LocalReplicas(newer, space, next.done(), self);
  }

  /** Whether what is held under one table means the same under the other. */
  static boolean sameContent(SegmentTable before, SegmentTable now) {
    return before.clusterId() == now.clusterId()
        && before.hashSeed() == now.hashSeed()
        && before.segments() == now.segments()
        && (!before.written() || before.header().firstWrite() == now.header().firstWrite());
  }

  SegmentTable table() {
    return table;
  }

  /** How the cluster hashes keys. */
  HashSpace space() {
    return space;
  }

  /** Whether this node is one of a segment's owners. */
  boolean owns(int segment) {
    return held.contains(segment) || table.isOwner(segment, self);
  }

  /** Whether whatever has no lane here is empty, because this node has owned it all the time. */
  boolean holds(int segment) {
    return held.contains(segment);
  }
}
