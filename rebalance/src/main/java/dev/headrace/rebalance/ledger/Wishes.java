package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * What this node, or whoever has asked it as the convener, wants beside a table: a seal, to leave,
 * segments to begin anew; and what stands in the way of nodes.
 */
final class Wishes {

  private final NodeId self;
  private final Departures departures;
  private final Unowned unowned;
  private final BrokenPairs brokenPairs;
  private final LedgerEffects effects;
  private boolean sealing;
  private boolean owesNothing;

  Wishes(
      NodeId self,
      Departures departures,
      Unowned unowned,
      BrokenPairs brokenPairs,
      LedgerEffects effects) {
    this.self = self;
    this.departures = departures;
    this.unowned = unowned;
    this.brokenPairs = brokenPairs;
    this.effects = effects;
  }

  /** The table is to be sealed, if it is not; false if it is. */
  boolean seal(@Nullable SegmentTable present) {
    sealing = present == null || !present.sealed();
    return sealing;
  }

  /** Whether the table is to be sealed. */
  boolean sealing() {
    return sealing;
  }

  /** A table has come into force. */
  void installed(SegmentTable table, long nowNanos) {
    sealing &= !table.sealed();
    unowned.installed(table, nowNanos);
  }

  /**
   * This node wants to leave.
   *
   * @param owesNothingMore whether nobody needs anything from it any more
   */
  void leave(boolean owesNothingMore) {
    owesNothing = owesNothingMore;
    departures.add(self, owesNothingMore);
  }

  /** What nobody in reach can serve. */
  Unowned unowned() {
    return unowned;
  }

  /** Who does not reach whom. */
  BrokenPairs brokenPairs() {
    return brokenPairs;
  }

  /** Who wants to leave. */
  Departures departures() {
    return departures;
  }

  /** Tells a convener what this node wants of it. */
  void sendTo(NodeId convener) {
    if (sealing) {
      effects.send(convener, new Seal());
    }
    if (departures.contains(self)) {
      effects.send(convener, new Leave(owesNothing));
    }
  }
}
