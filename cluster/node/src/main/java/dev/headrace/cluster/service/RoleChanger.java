package dev.headrace.cluster.service;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.lane.Lanes;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes lanes change their roles, a few at a time, on another thread than tables come on, so that
 * the next table need not wait for them. Thread-safe.
 */
public final class RoleChanger implements TableListener {
  private static final Logger LOG = LoggerFactory.getLogger(RoleChanger.class);

  /** Takes a few milliseconds. */
  private static final int SEGMENTS_AT_ONCE = 64;

  private final Lanes lanes;
  private final Executor executor;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * @param executor runs background work of lanes
   */
  public RoleChanger(Lanes lanes, Executor executor) {
    this.lanes = lanes;
    this.executor = executor;
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newImage) {
    schedule();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      executor.execute(this::go);
    }
  }

  private void go() {
    scheduled.set(false); // a table that comes from now on schedules another run
    boolean more = true;
    try {
      more = lanes.changeRoles(SEGMENTS_AT_ONCE);
    } catch (RuntimeException | Error e) {
      LOG.error("The lanes of a segment could not change their roles; other segments go on", e);
    }
    if (more) {
      schedule();
    }
  }
}
