package dev.headrace.replication.copy;

import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One segment on its way to the nodes that are to become its owners, over all caches. Thread-safe:
 * lanes count themselves in and out.
 *
 * <pre>
 * state    event          guard                                    next     effects
 * -------  -------------  ---------------------------------------  -------  --------------------
 * (none)   order          this node is the primary, and there is   copying  each lane begins
 *                         room
 * copying  Learned        the destinations have all entries of     copied   its bytes are charged
 *                         each lane
 * copied   Learned, tick  they lack only few mutations             counted  acknowledgements wait
 *                                                                           for them
 * counted  Learned, tick  they have all that was acknowledged      ready    CopyStateReport
 * any      other owners,  or nobody asks for it any more, or a     failed   CopyStateReport; the
 *          cancel, tick   destination has left or lags                      learners are released
 * </pre>
 */
public final class RunningCopy {
  private final long segmentEpoch;
  private volatile CopyOrder.Copy order;
  private volatile NodeId rebalancer;
  private final AtomicInteger openCopies = new AtomicInteger();
  private final AtomicLong copiedBytes = new AtomicLong();
  private final AtomicReference<@Nullable RecordedMoves> recorded = new AtomicReference<>();
  private volatile long orderedNanos;
  private volatile boolean everywhere;
  private volatile boolean charged;
  private volatile boolean counted;
  private volatile boolean ready;
  private volatile @Nullable String failure;

  /**
   * @param segmentEpoch the epoch at which the segment got the owners that it has
   * @param nowNanos a monotonic clock
   */
  public RunningCopy(CopyOrder.Copy order, NodeId rebalancer, long segmentEpoch, long nowNanos) {
    this.segmentEpoch = segmentEpoch;
    this.order = order;
    this.rebalancer = rebalancer;
    this.orderedNanos = nowNanos;
  }

  /** The epoch at which the segment got the owners under which it is copied. */
  public long segmentEpoch() {
    return segmentEpoch;
  }

  /** Whether an order means these destinations; its migration may have another name by now. */
  public boolean leadsTo(List<NodeId> destinations) {
    return order.destinations().equals(destinations);
  }

  public CopyOrder.Copy order() {
    return order;
  }

  /** Who wants to know. */
  public NodeId rebalancer() {
    return rebalancer;
  }

  /**
   * A coordinator wants it, as of now. What another one has begun goes on under the new name: the
   * owners are still the same.
   */
  public void ordered(CopyOrder.Copy again, NodeId by, long nowNanos) {
    order = again;
    rebalancer = by;
    orderedNanos = nowNanos;
  }

  /** When the coordinator has asked for it last. */
  public long orderedNanos() {
    return orderedNanos;
  }

  /** Has the copy recorded; null if nobody records. */
  public void recordedBy(@Nullable RecordedMoves moves) {
    recorded.set(moves);
  }

  /** A lane begins to copy to a destination. */
  public void copyBegun() {
    openCopies.incrementAndGet();
  }

  /** A destination has all entries of a lane. */
  public void copyDone() {
    openCopies.decrementAndGet();
  }

  /** A destination has taken so many more bytes of entries. */
  public void copied(NodeId destination, long bytes) {
    copiedBytes.addAndGet(bytes);
    RecordedMoves moves = recorded.get();
    if (moves != null) {
      moves.copied(destination, bytes);
    }
  }

  /** Every lane that was there has begun; those that come into being begin by themselves. */
  public void everywhere() {
    everywhere = true;
  }

  /** Whether no lane has more to copy. */
  public boolean copied() {
    return everywhere && openCopies.get() == 0 && failure == null;
  }

  /** What was copied counts among what the destinations use. */
  public void charge() {
    charged = true;
  }

  /** Whether what was copied counts already. */
  public boolean charged() {
    return charged;
  }

  /** From now on acknowledgements wait for the destinations. */
  public void count() {
    counted = true;
  }

  /** Whether acknowledgements wait for the destinations, which may be owners by the next table. */
  public boolean counts() {
    return counted && failure == null;
  }

  public boolean ready() {
    return ready;
  }

  public void becomeReady() {
    ready = true;
  }

  public void fail(String reason) {
    end(reason, List.of());
  }

  /** The owners of the segment have changed: the copy is over, committed or not. */
  public void ownersChanged(List<NodeId> owners) {
    end("the owners of the segment have changed", owners);
  }

  private void end(String reason, List<NodeId> owners) {
    failure = reason;
    RecordedMoves moves = recorded.getAndSet(null);
    if (moves != null) {
      moves.ended(owners, reason);
    }
  }

  /** Why it has ended, or null if it has not. */
  public @Nullable String failure() {
    return failure;
  }

  @Override
  public String toString() {
    return "migration %x of segment %d to %s: %s, %d bytes, %d copies open"
        .formatted(
            order.migration(),
            order.segment(),
            order.destinations(),
            ready ? "ready" : failure == null ? "copying" : failure,
            copiedBytes.get(),
            openCopies.get());
  }

  public CopyStateReport.CopyState state() {
    String reason = failure;
    return new CopyStateReport.CopyState(
        order.migration(),
        order.segment(),
        reason == null,
        copiedBytes.get(),
        reason == null ? "" : reason);
  }
}
