package dev.headrace.cluster.agreement;

import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;

/**
 * A node's request to leave in order. It is repeated to the coordinator, and tells whether other
 * nodes still need something from this one.
 */
public final class LeaveRequest {
  private static final long REPEAT_NANOS = 40_000_000L;

  private final CurrentTable table;
  private final Lanes lanes;
  private final AgreementDriver agreement;
  private volatile boolean wanted;
  private long requestedNanos; // used by the timer's thread

  public LeaveRequest(CurrentTable table, Lanes lanes, AgreementDriver agreement) {
    this.table = table;
    this.lanes = lanes;
    this.agreement = agreement;
  }

  public void begin() {
    wanted = true;
    agreement.requestLeave(owesNothingAt());
  }

  public void tick(long nowNanos) {
    if (!wanted) {
      requestedNanos = nowNanos;
    } else if (nowNanos - requestedNanos >= REPEAT_NANOS) {
      requestedNanos = nowNanos;
      agreement.requestLeave(owesNothingAt());
    }
  }

  /**
   * The epoch of the present table if no other node needs anything from this one. While it owns
   * segments that is not so: the table must not remove it together with its last segment.
   */
  private long owesNothingAt() {
    SegmentTable now = table.orNull();
    if (now == null || now.replicas(table.self()) > 0 || lanes.owes()) {
      return SegmentTable.NEVER;
    }
    return now.epoch();
  }
}
