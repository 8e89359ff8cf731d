package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.FirstWrite;
import dev.headrace.rebalance.agreement.ControlMessage.Leave;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What this node, or whoever has asked it as the coordinator, wants beside a table: a first write,
 * to leave, segments to begin anew; and what stands in the way of nodes.
 */
final class PendingRequests {

  private final NodeId self;

  /** Who wants to leave. */
  final LeavingNodes leaving;

  /** What nobody in reach can serve. */
  final Unowned unowned;

  /** Who does not reach whom. */
  final BrokenPairs brokenPairs;

  private final AgreementEffects effects;
  private boolean firstWriteWanted;
  private long owesNothingAt = SegmentTable.NEVER;

  PendingRequests(AgreementSettings settings, AgreementEffects effects) {
    this.self = settings.self().id();
    this.leaving = new LeavingNodes(settings.movesSegments());
    this.unowned = new Unowned(settings, effects);
    this.brokenPairs = new BrokenPairs(settings, effects);
    this.effects = effects;
  }

  /** The first write is to be marked, if it is not; false if it is. */
  boolean firstWrite(@Nullable SegmentTable present) {
    firstWriteWanted = present == null || !present.written();
    return firstWriteWanted;
  }

  boolean wantsFirstWrite() {
    return firstWriteWanted;
  }

  void installed(SegmentTable table, long nowNanos) {
    firstWriteWanted &= !table.written();
    unowned.installed(table, nowNanos);
  }

  /**
   * This node wants to leave.
   *
   * @param epoch of the table under which nobody needs anything from it any more, or {@link
   *     SegmentTable#NEVER}
   */
  void leave(long epoch) {
    owesNothingAt = epoch;
    leaving.add(self, epoch);
  }

  /** Tells a coordinator what this node wants of it. */
  void sendTo(NodeId coordinator) {
    if (firstWriteWanted) {
      effects.send(coordinator, new FirstWrite());
    }
    if (leaving.contains(self)) {
      effects.send(coordinator, new Leave(owesNothingAt));
    }
  }
}
