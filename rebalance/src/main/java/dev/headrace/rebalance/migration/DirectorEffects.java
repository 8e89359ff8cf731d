package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.Message;
import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.stream.NodeId;

/**
 * What a director wants done. Called while it handles an event; an effect must not block, nor call
 * the director.
 */
public interface DirectorEffects {

  /** Sends an order to a node, which may be this one; it may be lost. */
  void send(NodeId to, Message order);

  /**
   * Hands a change of the table to the ledger. It is evaluated later, or never if this node ceases
   * to lead.
   */
  void propose(Proposal proposal);

  /** How far the rebalance is; called a few times a second while one goes on, and at its end. */
  void progress(Progress progress);

  /** Something that people should know. */
  void warned(String text);
}
