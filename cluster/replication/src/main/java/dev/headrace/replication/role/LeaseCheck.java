package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether what was read under a table may be answered: to be asked after the reading, and before
 * the answer. Thread-safe.
 *
 * <p>A lease alone is not enough. A node that was excluded and comes back learns the table by which
 * it owns a segment no longer, and then gets its lease under that table; who has begun to read by
 * the older one, from a replica that others have left behind, has a lease when the reading ends. So
 * the owners must be the same as before the reading, too.
 */
public final class LeaseCheck {
  private final LeaseView lease;
  private final Supplier<@Nullable SegmentTable> newest;

  /**
   * @param newest the node's present table; it must be there before a lease is extended under it
   */
  public LeaseCheck(LeaseView lease, Supplier<@Nullable SegmentTable> newest) {
    this.lease = lease;
    this.newest = newest;
  }

  /**
   * Whether what was read of a segment may be answered.
   *
   * @param segmentEpoch when the segment got the owners under which it was read
   */
  public boolean permits(int segment, long segmentEpoch) {
    SegmentTable now = leased();
    return now != null && segment < now.segments() && now.segmentEpoch(segment) == segmentEpoch;
  }

  /** Whether what was read of some segments under a table may be answered. */
  public boolean permits(SegmentTable readUnder, int[] segments) {
    SegmentTable now = leased();
    if (now == null || now.epoch() == readUnder.epoch()) {
      return now != null;
    }
    for (int segment : segments) {
      if (segment >= now.segments()
          || now.segmentEpoch(segment) != readUnder.segmentEpoch(segment)) {
        return false;
      }
    }
    return true;
  }

  /** The newest table if there is a lease. The lease comes first: its table is there before it. */
  private @Nullable SegmentTable leased() {
    return lease.valid() ? newest.get() : null;
  }
}
