package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;

/**
 * Whether two nodes mean the same owners of a segment (P7). Their tables need not be the same for
 * that: it is enough that neither knows of a change of these owners that the other does not know.
 */
public enum EpochCheck {
  /** Neither of the two knows other owners. */
  SAME_OWNERS,
  /** The owners have changed, and the sender does not know. */
  SENDER_BEHIND,
  /** The owners have changed, and the receiver does not know. */
  RECEIVER_BEHIND;

  /**
   * Compares a message with the receiver's table.
   *
   * @param epoch the epoch of the sender's table
   * @param segmentEpoch the epoch at which the segment's owners last changed there
   */
  public static EpochCheck of(SegmentTable table, int segment, long epoch, long segmentEpoch) {
    if (table.segmentEpoch(segment) > epoch) {
      return SENDER_BEHIND;
    }
    return segmentEpoch > table.epoch() ? RECEIVER_BEHIND : SAME_OWNERS;
  }
}
