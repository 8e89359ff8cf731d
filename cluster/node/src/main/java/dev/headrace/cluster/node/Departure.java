package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;

/**
 * A node's wish to leave in order: told to whoever decides, again and again, with whether anybody
 * still needs something from this node.
 */
final class Departure {
  private static final int TICKS_PER_WISH = 8;

  private final CurrentTable table;
  private final Lanes lanes;
  private final AgreementDriver agreement;
  private volatile boolean wanted;
  private int ticksSinceWish; // of the timer's thread

  Departure(CurrentTable table, Lanes lanes, AgreementDriver agreement) {
    this.table = table;
    this.lanes = lanes;
    this.agreement = agreement;
  }

  void begin() {
    wanted = true;
    agreement.requestLeave(owesNothing());
  }

  void tick() {
    if (wanted && ++ticksSinceWish % TICKS_PER_WISH == 0) {
      agreement.requestLeave(owesNothing());
    }
  }

  /**
   * Whether nobody needs anything from this node any more. As long as it owns segments somebody
   * will: it must not be taken out of the table together with the last of them.
   */
  private boolean owesNothing() {
    SegmentTable now = table.orNull();
    return now == null || (now.replicas(table.self()) == 0 && !lanes.owes());
  }
}
