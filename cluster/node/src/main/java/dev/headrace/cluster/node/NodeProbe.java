package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.message.CopyOrder;

/**
 * Hears what a node decides about segments, for measurements. Called on the node's control
 * executor: a method must return at once and must not throw.
 */
public interface NodeProbe extends TableListener {

  /** Hears nothing. */
  NodeProbe NONE = new NodeProbe() {};

  /** This node, which leads, has decided on the moves of an epoch; nobody else knows them yet. */
  default void decided(long epoch) {}

  @Override
  default void onTable(TableDelta delta, SegmentTable newImage) {}

  /** This node, which leads, has had copies ordered. */
  default void ordered(CopyOrder order) {}

  /**
   * This node, which leads, has sent tables or changes of tables to one member.
   *
   * @param bytes length of the whole control message
   * @param image whether it holds a whole table
   */
  default void published(int bytes, boolean image) {}
}
