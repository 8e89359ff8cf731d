package dev.headrace.http;

import dev.headrace.cluster.node.NodeTuning;
import dev.headrace.cluster.wire.WireSettings;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Answers no reads of other nodes while a test holds them: no copy of a segment goes on meanwhile,
 * and no stream that asks another node. Thread-safe.
 */
final class HeldReads implements Executor {
  private final Queue<Runnable> waiting = new ArrayDeque<>(); // guarded by this
  private boolean held; // guarded by this

  /** The tuning of nodes whose answers these are, and that copy no segment without a read. */
  NodeTuning tuning() {
    return NodeTuning.defaults()
        .withHandOver(new WireSettings.HandOver(WireSettings.INLINE, this))
        .withLanes(lanes -> lanes.withCopies(lanes.rangeBytes(), 0));
  }

  @Override
  public void execute(Runnable read) {
    synchronized (this) {
      if (held) {
        waiting.add(read);
        return;
      }
    }
    read.run();
  }

  /** From now on reads wait. */
  synchronized void hold() {
    held = true;
  }

  /** Reads go on, and those that wait are answered. */
  void release() {
    Queue<Runnable> answered;
    synchronized (this) {
      held = false;
      answered = new ArrayDeque<>(waiting);
      waiting.clear();
    }
    answered.forEach(Runnable::run);
  }
}
