package dev.headrace.cluster.membership;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;

/** Hears what happens in the cluster; called by one thread, one call after the other. */
public interface MembershipListener {

  /**
   * The cluster's living nodes have changed.
   *
   * @param view all of them, this node included, in the order in which they joined, with a mark
   *     that no other view has
   */
  void viewChanged(MemberView view);

  /**
   * A control message has arrived.
   *
   * @param from a member of the newest view
   * @param message belongs to the listener
   */
  void received(NodeId from, byte[] message);
}
