package dev.headrace.cluster.membership;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;

/** Receives views and control messages. One thread makes all calls, in order. */
public interface MembershipListener {

  /**
   * The set of living nodes has changed.
   *
   * @param view all living nodes, this one included, in the order in which they joined; its mark is
   *     unique
   */
  void viewChanged(MemberView view);

  /**
   * A control message has arrived.
   *
   * @param from a member of the newest view
   * @param message owned by the listener from now on
   */
  void received(NodeId from, byte[] message);
}
