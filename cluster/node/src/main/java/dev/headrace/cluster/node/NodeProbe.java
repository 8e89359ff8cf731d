package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.CopyOrder;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a node decides about segments, for measurements. Called on the node's control
 * executor: a method must return at once and must not throw.
 */
public interface NodeProbe {

  /** Hears nothing. */
  NodeProbe NONE = new NodeProbe() {};

  /** This node, which leads, has decided on the moves of an epoch; nobody else knows them yet. */
  default void decided(long epoch) {}

  /**
   * A table is in force on this node.
   *
   * @param delta what made it from the one before, or null if it came as an image
   */
  default void installed(SegmentTable table, @Nullable TableDelta delta) {}

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
