package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;

/**
 * What an agreement wants done. Called while it handles an event; an effect must not block, nor
 * call the agreement.
 */
public interface AgreementEffects {

  /** Sends a message to a node of the view; it may be lost, doubled and overtaken. */
  void send(NodeId to, ControlMessage message);

  /**
   * Puts a table in force on this node. Its epoch is greater than that of the one before.
   *
   * @param delta what made it from the one before, or {@link TableDelta#fromNothing} if this is the
   *     first one or nobody knows what lies between
   */
  void install(TableDelta delta, SegmentTable newImage);

  /**
   * Until when this node may serve what it owns by its table.
   *
   * @param untilNanos a time of the clock that the agreement's driver hands in, or {@link
   *     dev.headrace.rebalance.publish.Lease#ALWAYS} or {@link
   *     dev.headrace.rebalance.publish.Lease#NEVER}
   */
  void lease(long untilNanos);

  /**
   * Whether this node decides on tables, and everything that its predecessors decided is in force
   * under its own ballot: from then on it takes proposals.
   */
  void coordinating(boolean coordinates);

  /** The cluster does not take this node, or has given it up. Nothing follows; close the node. */
  void refused(String reason);

  /** This node has left the table in order. Nothing follows; close the node. */
  void left();

  /**
   * This node is in a part of the cluster that must not go on alone: refuse writes and streams.
   * Called again when there is another reason.
   */
  void suspended(String reason);

  /**
   * This node has come to a part of the cluster that must not go on, and is not taken in before it
   * may; {@link #suspended} has been called.
   *
   * @param inForce the table that is in force there; this node is none of its members
   */
  void stalled(SegmentTable inForce, String reason);

  /** The reason of {@link #suspended} has gone. */
  void resumed();

  /** Something that people should know. */
  void warned(String text);
}
