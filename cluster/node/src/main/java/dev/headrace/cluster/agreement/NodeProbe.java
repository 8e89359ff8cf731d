package dev.headrace.cluster.agreement;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.message.CopyOrder;

/**
 * Observes a node's decisions about segments, for measurements. Called on the node's control
 * executor: a method must return at once and must not throw.
 */
public interface NodeProbe extends TableListener {

  /** Ignores everything. */
  NodeProbe NONE = new NodeProbe() {};

  /**
   * This node, the coordinator, has decided on the moves of an epoch; no other node knows them yet.
   */
  default void decided(long epoch) {}

  @Override
  default void onTable(TableDelta delta, SegmentTable newImage) {}

  /** This node, the coordinator, has ordered copies. */
  default void ordered(CopyOrder order) {}

  /**
   * This node, the coordinator, has sent tables or deltas to one member.
   *
   * @param bytes length of the whole control message
   * @param image whether it holds a whole table
   */
  default void published(int bytes, boolean image) {}
}
