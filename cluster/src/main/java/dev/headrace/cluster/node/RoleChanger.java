package dev.headrace.cluster.node;

import dev.headrace.rebalance.write.Lanes;
import java.util.concurrent.Executor;

/**
 * Has lanes change their roles a few at a time on the node's control executor: a table that comes
 * meanwhile is known before the last of them has done so. Used on the control executor only.
 */
final class RoleChanger {

  /** A few milliseconds' work. */
  private static final int SEGMENTS_AT_ONCE = 64;

  private final Lanes lanes;
  private final Executor control;
  private boolean scheduled;

  RoleChanger(Lanes lanes, Executor control) {
    this.lanes = lanes;
    this.control = control;
  }

  /** The lanes have a new table. */
  void tableChanged() {
    if (!scheduled) {
      go();
    }
  }

  private void go() {
    scheduled = lanes.changeRoles(SEGMENTS_AT_ONCE);
    if (scheduled) {
      control.execute(this::go);
    }
  }
}
