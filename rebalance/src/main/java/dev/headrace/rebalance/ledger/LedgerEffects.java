package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;

/**
 * What a ledger wants done. Called while it handles an event; an effect must not block, nor call
 * the ledger.
 */
public interface LedgerEffects {

  /** Sends a message to a node of the view; it may be lost. */
  void send(NodeId to, ControlMessage message);

  /** Puts a table in force on this node. Its epoch is greater than that of the one before. */
  void install(SegmentTable table);

  /** The cluster does not take this node, or has given it up. Nothing follows; close the node. */
  void refused(String reason);

  /** This node has left the table in order. Nothing follows; close the node. */
  void left();

  /** This node is in a part of the cluster that must not go on alone: refuse writes and streams. */
  void suspended(String reason);

  /** The reason of {@link #suspended} has gone. */
  void resumed();

  /** Something that people should know. */
  void warned(String text);
}
