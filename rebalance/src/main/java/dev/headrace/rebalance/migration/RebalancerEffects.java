package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * What a rebalancer wants done. Called while it handles an event; an effect must not block, nor
 * call the rebalancer.
 */
public interface RebalancerEffects {
  /**
   * Has a primary, which may be this node, copy segments; the order may be lost. Given again it
   * changes nothing, except that a copy which has ended is begun anew.
   *
   * @param epoch the epoch of the table under which the node is primary
   */
  void copy(NodeId primary, long epoch, List<SegmentCopy> copies);

  /** Has a primary end copies that are no longer wanted; the order may be lost. */
  void cancel(NodeId primary, List<Long> migrations);

  /**
   * Hands a change of the table to the agreement. It is evaluated later, or never if this node
   * ceases to coordinate.
   */
  void propose(Proposal proposal);

  /**
   * How far the rebalance is; called a few times a second while one goes on, and at its end.
   *
   * @param moves what is being copied
   */
  void progress(RebalanceProgress progress, MovesNotice moves);

  /** Something that people should know. */
  void warned(String text);
}
