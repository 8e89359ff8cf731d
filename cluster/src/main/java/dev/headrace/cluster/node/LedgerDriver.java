package dev.headrace.cluster.node;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.rebalance.ledger.ControlMessage;
import dev.headrace.rebalance.ledger.Ledger;
import dev.headrace.rebalance.ledger.LedgerEffects;
import dev.headrace.rebalance.ledger.LedgerSettings;
import dev.headrace.rebalance.ledger.MemberView;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives the ledger: one event at a time, on the node's control executor, whatever thread it comes
 * from.
 */
final class LedgerDriver implements LedgerEffects {
  private static final System.Logger LOG = System.getLogger(LedgerDriver.class.getName());

  private final Membership membership;
  private final Executor control;
  private final LongSupplier nanoTime;
  private final ClusterClock clock;
  private final Listener listener;
  private final Ledger ledger; // used on the control executor only

  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile @Nullable NodeId convener;

  /** Whom the driver tells what the ledger decided, on the control executor. */
  interface Listener {
    /**
     * A table is in force on this node.
     *
     * @param delta what made it from the one before, or null if that is not known
     */
    void installed(SegmentTable table, @Nullable TableDelta delta);

    /**
     * Until when this node may serve what it owns, by the node's monotonic clock; see {@link
     * dev.headrace.rebalance.publish.Lease#isValid}.
     */
    void leased(long untilNanos);

    /** Whether this node decides on tables and takes proposals. */
    void leading(boolean leads);

    /** The nodes that want to leave when they own nothing; told after every event. */
    void leaving(Set<NodeId> nodes);

    /** The cluster does not take this node, or has given it up. */
    void refused(String reason);

    /** This node is out of the table and may go. */
    void left();

    /**
     * Writes and exactly-once streams must not be served, for this reason; null: they may again.
     */
    void suspended(@Nullable String reason);
  }

  LedgerDriver(LedgerSettings settings, NodePorts ports, ClusterClock clock, Listener listener) {
    this.membership = ports.membership();
    this.control = ports.control();
    this.nanoTime = ports.timer()::nanoTime;
    this.clock = clock;
    this.listener = listener;
    this.ledger = new Ledger(settings, new WeightedRendezvous(), ports.random(), this);
  }

  // ---- Events, from any thread

  void viewChanged(MemberView view) {
    run(() -> ledger.viewChanged(view, nanoTime.getAsLong()));
  }

  void received(NodeId from, byte[] bytes) {
    run(
        () -> {
          ControlEnvelope envelope;
          try {
            envelope = ControlEnvelope.decode(bytes);
          } catch (WireException e) {
            LOG.log(System.Logger.Level.WARNING, "A control message of " + from + " is dropped", e);
            return;
          }
          if (envelope.message() instanceof ControlMessage.Append) {
            clock.adopt(envelope.clusterMillis());
          }
          ledger.received(from, envelope.message(), nanoTime.getAsLong());
        });
  }

  void requestSeal() {
    run(() -> ledger.requestSeal(nanoTime.getAsLong()));
  }

  /** Nobody has all of a segment any more. */
  void lost(int segment, long segmentEpoch) {
    run(() -> ledger.lost(segment, segmentEpoch, nanoTime.getAsLong()));
  }

  void requestLeave(boolean owesNothing) {
    run(() -> ledger.requestLeave(owesNothing, nanoTime.getAsLong()));
  }

  void noticed(long epoch) {
    run(() -> ledger.noticed(epoch, nanoTime.getAsLong()));
  }

  /** Time goes on. Dropped if the tick before has not been dealt with: they must not pile up. */
  void tick() {
    if (ticking.compareAndSet(false, true)) {
      run(
          () -> {
            ticking.set(false);
            // Asked now: a convener that takes a time that is over would grant too much.
            ledger.tick(nanoTime.getAsLong());
          });
    }
  }

  /** Hands a change of the table to the ledger; it is lost if this node does not decide. */
  void propose(Proposal proposal) {
    run(() -> ledger.propose(proposal, nanoTime.getAsLong()));
  }

  /** The node that decides on the segment table, or null while that is not known. */
  @Nullable NodeId convener() {
    return convener;
  }

  private void run(Runnable event) {
    control.execute(
        () -> {
          try {
            event.run();
          } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "An event of the ledger failed; it goes on", e);
          }
          convener = ledger.convener();
          listener.leaving(ledger.leaving());
        });
  }

  // ---- Effects, on the control executor

  @Override
  public void send(NodeId to, ControlMessage message) {
    try {
      membership.send(to, new ControlEnvelope(clock.getAsLong(), message).encode());
    } catch (RuntimeException e) { // as if it had been lost: it is sent again
      LOG.log(System.Logger.Level.WARNING, "A control message to " + to + " was not sent", e);
    }
  }

  @Override
  public void install(SegmentTable table, @Nullable TableDelta delta) {
    clock.settle();
    listener.installed(table, delta);
  }

  @Override
  public void lease(long untilNanos) {
    listener.leased(untilNanos);
  }

  @Override
  public void leading(boolean leads) {
    listener.leading(leads);
  }

  @Override
  public void refused(String reason) {
    listener.refused(reason);
  }

  @Override
  public void left() {
    listener.left();
  }

  @Override
  public void suspended(String reason) {
    LOG.log(System.Logger.Level.WARNING, reason);
    listener.suspended(reason);
  }

  @Override
  public void resumed() {
    listener.suspended(null);
  }

  @Override
  public void warned(String text) {
    LOG.log(System.Logger.Level.WARNING, text);
  }
}
