package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The newest segment table that this node has, and who waits for a newer one. Thread-safe. */
final class CurrentTable implements Ownership {
  private final NodeId self;
  private final List<Waiting> waiting = new ArrayList<>(); // guarded by itself
  private volatile @Nullable SegmentTable table;

  CurrentTable(NodeId self) {
    this.self = self;
  }

  @Override
  public NodeId self() {
    return self;
  }

  /**
   * The newest table.
   *
   * @throws IllegalStateException before the first one
   */
  @Override
  public SegmentTable view() {
    SegmentTable newest = table;
    if (newest == null) {
      throw new IllegalStateException("The node has no segment table yet");
    }
    return newest;
  }

  /** The newest table, or null before the first one. */
  @Nullable SegmentTable orNull() {
    return table;
  }

  /** Replaces the table by a newer one and runs what waited for it. */
  void install(SegmentTable newer) {
    List<Runnable> due = new ArrayList<>();
    synchronized (waiting) {
      SegmentTable present = table;
      if (present != null && present.epoch() >= newer.epoch()) {
        return;
      }
      table = newer;
      waiting.removeIf(
          waiter -> {
            boolean ready = waiter.epoch < newer.epoch();
            if (ready) {
              due.add(waiter.task);
            }
            return ready;
          });
    }
    due.forEach(Runnable::run);
  }

  @Override
  public void awaitNewerThan(long epoch, Runnable task) {
    synchronized (waiting) {
      SegmentTable present = table;
      if (present == null || present.epoch() <= epoch) {
        waiting.add(new Waiting(epoch, task));
        return;
      }
    }
    task.run();
  }

  private record Waiting(long epoch, Runnable task) {}
}
