package dev.headrace.rebalance.write.fill;

import dev.headrace.rebalance.message.FillOrder;
import dev.headrace.rebalance.message.FillReport;
import dev.headrace.stream.NodeId;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One segment on its way to a node that is to become its owner, over all caches. Thread-safe: lanes
 * count themselves in and out.
 */
public final class RunningFill {
  private final FillOrder.Fill order;
  private final NodeId director;
  private final AtomicInteger openLanes = new AtomicInteger();
  private final AtomicLong copiedBytes = new AtomicLong();
  private volatile long orderedNanos;
  private volatile boolean everywhere;
  private volatile boolean ready;
  private volatile @Nullable String failure;

  public RunningFill(FillOrder.Fill order, NodeId director) {
    this.order = order;
    this.director = director;
  }

  public FillOrder.Fill order() {
    return order;
  }

  /** Who wants to know. */
  public NodeId director() {
    return director;
  }

  /** The director wants it, as of now. */
  public void ordered(long nowNanos) {
    orderedNanos = nowNanos;
  }

  /** When the director has asked for it last. */
  public long orderedNanos() {
    return orderedNanos;
  }

  void laneOpened() {
    openLanes.incrementAndGet();
  }

  /** A lane's last chunk has been taken. */
  void laneDone() {
    openLanes.decrementAndGet();
  }

  public void copied(long bytes) {
    copiedBytes.addAndGet(bytes);
  }

  /** Every lane that was there has begun; those that come into being begin by themselves. */
  public void everywhere() {
    everywhere = true;
  }

  /** Whether no lane has more to copy. */
  public boolean copied() {
    return everywhere && openLanes.get() == 0 && failure == null;
  }

  public boolean ready() {
    return ready;
  }

  public void becomeReady() {
    ready = true;
  }

  public void fail(String reason) {
    failure = reason;
  }

  /** Why it has ended, or null if it has not. */
  public @Nullable String failure() {
    return failure;
  }

  @Override
  public String toString() {
    return "migration %x of segment %d to %s: %s, %d bytes, %d lanes open"
        .formatted(
            order.migration(),
            order.segment(),
            order.destination(),
            ready ? "ready" : failure == null ? "copying" : failure,
            copiedBytes.get(),
            openLanes.get());
  }

  public FillReport.FillState state() {
    String reason = failure;
    return new FillReport.FillState(
        order.migration(),
        order.segment(),
        reason == null,
        copiedBytes.get(),
        reason == null ? "" : reason);
  }
}
