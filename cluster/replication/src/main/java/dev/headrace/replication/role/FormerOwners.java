package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who owned segments before those who own them now, as far as this node has seen it. A new primary
 * hears from them before it serves, or waits until they can have no lease any more.
 *
 * <p>Thread-safe; tables come one after the other.
 */
public final class FormerOwners {

  /** The most that are remembered of one segment. */
  private static final int MAX_OF_SEGMENT = 8;

  private static final long NOT_YET = Long.MIN_VALUE;

  private final Map<Integer, Past> bySegment = new ConcurrentHashMap<>();

  /** Of all segments: those that were excluded before anything was written. */
  private volatile List<FormerOwner> readers = List.of();

  private final Queue<FormerOwner> unstamped = new ConcurrentLinkedQueue<>();

  /**
   * What was before.
   *
   * @param owners those that are none any more, oldest first
   * @param rows as {@link #rows} tells them
   */
  private record Past(List<FormerOwner> owners, List<PastOwners> rows) {
    static final Past NONE = new Past(List.of(), List.of());
  }

  /** A node that owned a segment, or nodes that nobody can name any more. */
  static final class FormerOwner {
    private final @Nullable NodeId node;
    private final long excludedAt;

    /** Set by the first tick after the exclusion: a clock that stood still must not shorten it. */
    private volatile long sinceNanos = NOT_YET;

    private FormerOwner(@Nullable NodeId node, long excludedAt) {
      this.node = node;
      this.excludedAt = excludedAt;
    }

    /**
     * Null for those that owned the segment under tables that this node has not seen, and for those
     * that were excluded before anything was written.
     */
    @Nullable NodeId node() {
      return node;
    }

    /** The epoch at which it, or the last of those that nobody can name, was no owner any more. */
    long excludedAt() {
      return excludedAt;
    }

    /** Whether it can have no lease any more. */
    boolean leaseOver(long nowNanos, long leaseWaitNanos) {
      long since = sinceNanos;
      return leaseWaitNanos == 0 || (since != NOT_YET && nowNanos - since >= leaseWaitNanos);
    }
  }

  /**
   * A segment's owners have changed.
   *
   * @param adjacent whether the second table follows the first directly
   */
  public void changed(int segment, SegmentTable before, SegmentTable now, boolean adjacent) {
    List<FormerOwner> known = new ArrayList<>();
    long epoch = now.segmentEpoch(segment);
    // Tables of one ballot are one line: only those after the next one are unseen.
    boolean direct = adjacent || epoch == before.epoch() + 1;
    for (FormerOwner former : bySegment.getOrDefault(segment, Past.NONE).owners) {
      NodeId node = former.node;
      if (node == null || !now.isOwner(segment, node)) {
        known.add(former);
      }
    }
    for (NodeId owner : before.owners(segment)) {
      if (!now.isOwner(segment, owner)) {
        add(known, new FormerOwner(owner, epoch));
      }
    }
    if (!direct) {
      add(known, new FormerOwner(null, epoch));
    }
    while (known.size() > MAX_OF_SEGMENT) {
      known.remove(0);
    }
    List<PastOwners> rows =
        direct && before.incarnation(segment) == now.incarnation(segment)
            ? rows(segment, before, now)
            : List.of();
    if (known.isEmpty() && rows.isEmpty()) {
      bySegment.remove(segment);
    } else {
      bySegment.put(segment, new Past(List.copyOf(known), List.copyOf(rows)));
    }
  }

  /**
   * The owners before a table, of those that can have acknowledged anything. If all owners are gone
   * and others own the segment in the same incarnation, the cluster has decided that they cannot:
   * the tables that named them, or them and others who went before, were not in force as long as
   * they lived.
   */
  private List<PastOwners> rows(int segment, SegmentTable before, SegmentTable now) {
    List<PastOwners> rows = new ArrayList<>();
    if (before.ownerCount(segment) > 0) {
      rows.add(new PastOwners(before.segmentEpoch(segment), before.owners(segment)));
    }
    rows.addAll(rows(segment));
    if (now.ownerCount(segment) > 0) {
      while (!rows.isEmpty()
          && rows.get(0).owners().stream().allMatch(id -> now.member(id) == null)) {
        rows.remove(0);
      }
    }
    return rows.size() > PastOwners.MAX_TOLD ? rows.subList(0, PastOwners.MAX_TOLD) : rows;
  }

  /**
   * Whether a node has owned a segment all the time since an epoch, as far as the owners between
   * are known.
   */
  public boolean ownedSince(int segment, long epoch, NodeId node) {
    List<PastOwners> rows = rows(segment);
    for (PastOwners row : rows) {
      if (row.epoch() <= epoch) {
        return true;
      }
      if (!row.owners().contains(node)) {
        return false;
      }
    }
    return rows.size() < PastOwners.MAX_TOLD;
  }

  private void add(List<FormerOwner> known, FormerOwner former) {
    unstamped.add(former);
    known.add(former);
  }

  /**
   * As long as nothing is written, segments are placed anew at each change. Whoever is excluded
   * then has nothing, but may go on to say so until its lease is over; so may somebody who came and
   * was excluded under tables that this node has not seen.
   */
  public void placedAnew(SegmentTable before, SegmentTable now) {
    boolean unseen = now.excludedAt() > before.epoch();
    if (unseen || before.members().stream().anyMatch(member -> now.member(member.id()) == null)) {
      unknownBefore(now);
    }
  }

  /**
   * Somebody may have been excluded before a table who has nothing, but may go on to say so until
   * its lease is over. So it is where the first table that a node sees makes it an owner, and lacks
   * somebody.
   */
  public void unknownBefore(SegmentTable now) {
    FormerOwner unnamed = new FormerOwner(null, now.epoch());
    unstamped.add(unnamed);
    readers = List.of(unnamed); // who was excluded before is no reader for longer than this one
  }

  /** The former owners of a segment, oldest first. */
  List<FormerOwner> of(int segment) {
    List<FormerOwner> known = bySegment.getOrDefault(segment, Past.NONE).owners;
    List<FormerOwner> ofAll = readers;
    return ofAll.isEmpty() ? known : Stream.concat(ofAll.stream(), known.stream()).toList();
  }

  /**
   * The owners of a segment before the present ones, latest first, as far back as every change of
   * them is known; none from before its incarnation.
   */
  public List<PastOwners> rows(int segment) {
    return bySegment.getOrDefault(segment, Past.NONE).rows;
  }

  public void forgetAll() {
    bySegment.clear();
    unstamped.clear();
    readers = List.of();
  }

  /** The clock of new entries begins to run. */
  public void tick(long nowNanos) {
    for (FormerOwner former = unstamped.poll(); former != null; former = unstamped.poll()) {
      former.sinceNanos = nowNanos;
    }
  }
}
