package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;

/** Effects of a node that goes on: it is neither refused nor leaves. */
class CalmEffects implements AgreementEffects {
  @Override
  public void send(NodeId to, ControlMessage message) {}

  @Override
  public void install(TableDelta delta, SegmentTable next) {}

  @Override
  public void lease(long untilNanos) {}

  @Override
  public void coordinating(boolean coordinates) {}

  @Override
  public void refused(String reason) {
    throw new AssertionError(reason);
  }

  @Override
  public void left() {
    throw new AssertionError("it does not leave");
  }

  @Override
  public void suspended(String reason) {}

  @Override
  public void stalled(SegmentTable inForce, String reason) {}

  @Override
  public void resumed() {}

  @Override
  public void warned(String text) {}
}
