package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.Notices;

/** What lanes need from the node beside its transport. Called from any thread, without a lock. */
public interface LaneHost extends Notices {

  /** A write has come to a cluster that holds nothing yet: its owners must be made final first. */
  void requestSeal();

  /**
   * A replica has lost its history and does not serve any more; it should be copied again.
   *
   * @param reason for people
   */
  void damaged(String cache, int segment, String reason);
}
