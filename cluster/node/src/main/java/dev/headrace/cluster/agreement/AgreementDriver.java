package dev.headrace.cluster.agreement;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.rebalance.agreement.AgreementEffects;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.agreement.TableAgreement;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the agreement, one event at a time on the node's control executor. Events may come from
 * any thread; those of the membership come on that executor.
 */
public final class AgreementDriver implements AgreementEffects {
  private static final Logger LOG = LoggerFactory.getLogger(AgreementDriver.class);

  private final Membership membership;
  private final Executor control;
  private final LongSupplier nanoTime;
  private final ClusterClock clock;
  private final Listener listener;
  private final NodeProbe probe;
  private final TableAgreement agreement; // used on the control executor only

  /** The decisions of an event for this node, in order; on the control executor only. */
  private final Queue<Runnable> decided = new ArrayDeque<>();

  /** Why the newest message to a node was not sent; on the control executor only. */
  private final Map<NodeId, String> unsent = new HashMap<>();

  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile @Nullable NodeId coordinator;

  /** Carries out what the agreement decides, on the control executor. */
  public interface Listener extends TableListener {
    /** Time has passed. */
    void ticked(long nowNanos);

    /**
     * Until when this node may serve what it owns, by the node's monotonic clock; see {@link
     * dev.headrace.rebalance.publish.Lease#isValid}.
     */
    void leased(long untilNanos);

    /** Whether this node is the coordinator, which decides on tables and takes proposals. */
    void coordinating(boolean coordinates);

    /** The nodes that want to leave once they own nothing. Called after every event. */
    void leaving(Set<NodeId> nodes);

    /** The cluster has refused this node, or has excluded it. */
    void refused(String reason);

    /** This node is out of the table and may go. */
    void left();

    /**
     * Writes and exactly-once streams must not be served for this reason; null if they may again.
     */
    void suspended(@Nullable String reason);

    /**
     * The part of the cluster that this node has found must not go on, for this reason. It admits
     * the node when it may; until then the node can look at its table.
     */
    void stalled(SegmentTable inForce, String reason);
  }

  /**
   * Makes the agreement.
   *
   * @param agreement makes the agreement that has these effects
   */
  public AgreementDriver(
      Membership membership,
      Executor control,
      LongSupplier nanoTime,
      ClusterClock clock,
      Listener listener,
      NodeProbe probe,
      Function<AgreementEffects, TableAgreement> agreement) {
    this.membership = membership;
    this.control = control;
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.listener = listener;
    this.probe = probe;
    this.agreement = agreement.apply(this);
  }

  // ---- Events, on the control executor

  public void viewChanged(MemberView view) {
    perform(
        () -> {
          unsent.keySet().retainAll(view.members());
          clock.retain(view.members());
          agreement.viewChanged(view, nanoTime.getAsLong());
        });
  }

  public void received(NodeId from, byte[] bytes) {
    perform(
        () -> {
          ControlEnvelope envelope;
          try {
            envelope = ControlEnvelope.decode(bytes);
          } catch (WireException e) {
            LOG.warn("A control message of " + from + " is dropped", e);
            return;
          }
          clock.received(from, envelope.time());
          agreement.received(from, envelope.message(), nanoTime.getAsLong());
        });
  }

  // ---- Events, from any thread

  public void requestFirstWrite() {
    run(() -> agreement.requestFirstWrite(nanoTime.getAsLong()));
  }

  /** No node has a complete copy of a segment any more. */
  public void lost(int segment, long segmentEpoch) {
    run(() -> agreement.lost(segment, segmentEpoch, nanoTime.getAsLong()));
  }

  /** This node does not reach some members over the wire. */
  public void unreachable(Collection<NodeId> nodes) {
    run(() -> agreement.unreachable(nodes, nanoTime.getAsLong()));
  }

  /** An operator gives up the content of segments. */
  void giveUp(Collection<ControlMessage.GiveUp.Row> rows) {
    run(() -> agreement.giveUp(rows, nanoTime.getAsLong()));
  }

  /** Some nodes that segments wait for are known to have ended. */
  public void ended(Collection<NodeId> nodes) {
    run(() -> agreement.ended(nodes, nanoTime.getAsLong()));
  }

  /** Another node has everything of a segment and has to be its primary. */
  public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
    run(() -> agreement.giveBack(segment, segmentEpoch, keeper, nanoTime.getAsLong()));
  }

  void requestLeave(long owesNothingAt) {
    run(() -> agreement.requestLeave(owesNothingAt, nanoTime.getAsLong()));
  }

  /**
   * Another node has a newer table in force.
   *
   * @param newest supplies its newest notice; null if that was taken before
   * @param missing run if deltas are missing between this node's table and the noticed one
   */
  void noticed(Supplier<@Nullable TableNotice> newest, Runnable missing) {
    run(
        () -> {
          TableNotice notice = newest.get();
          if (notice != null && !agreement.noticed(notice, nanoTime.getAsLong())) {
            missing.run();
          }
        });
  }

  /**
   * Time has passed. A tick is dropped while the one before waits, so that ticks do not pile up.
   */
  public void tick() {
    if (ticking.compareAndSet(false, true)) {
      run(
          () -> {
            ticking.set(false);
            // Read now: with a time that has passed, a coordinator would grant leases that are too
            // long.
            long nowNanos = nanoTime.getAsLong();
            agreement.tick(nowNanos);
            decided.add(() -> listener.ticked(nowNanos));
          });
    }
  }

  /**
   * Proposes a change of the table to the agreement. It is lost if this node is not the
   * coordinator.
   */
  public void propose(Proposal proposal) {
    run(() -> agreement.propose(proposal, nanoTime.getAsLong()));
  }

  /** The coordinator, or null while it is not known. */
  public @Nullable NodeId coordinator() {
    return coordinator;
  }

  private void run(Runnable event) {
    control.execute(() -> perform(event));
  }

  private void perform(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error e) {
      LOG.error("The agreement failed to handle an event; it continues", e);
    }
    coordinator = agreement.coordinator();
    clock.follow(coordinator, membership.self().equals(coordinator));
    carryOut();
    listener.leaving(agreement.leaving());
  }

  /**
   * Carries out the decisions of an event on this node after its messages were sent, so that other
   * nodes need not wait until a table has reached this node's lanes. It keeps their order, so that
   * no lease is extended before the lanes have the table under which it was granted.
   */
  private void carryOut() {
    for (Runnable next = decided.poll(); next != null; next = decided.poll()) {
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        LOG.error("A decision of the agreement failed on this node; the next ones follow", e);
      }
    }
  }

  // ---- Effects, on the control executor

  @Override
  public void send(NodeId to, ControlMessage message) {
    int protocol = agreement.protocolWith(to);
    byte[] bytes = new ControlEnvelope(clock.stamp(to), message).encode(protocol);
    if (message instanceof ControlMessage.Append append && append.publishes()) {
      probe.published(bytes.length, append.image() != null);
    }
    try {
      if (isRepeated(message)) {
        membership.sendFirst(to, bytes);
      } else {
        membership.send(to, bytes);
      }
      unsent.remove(to);
    } catch (RuntimeException e) { // treated as lost: it is sent again
      unsent(to, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  /**
   * Whether a message is one of a coordinator's heartbeats or an answer to it. Leases depend on
   * them.
   */
  private static boolean isRepeated(ControlMessage message) {
    return message instanceof ControlMessage.Appended
        || (message instanceof ControlMessage.Append append && !append.publishes());
  }

  /** Logs once for each node and reason, until a message can be sent again. */
  private void unsent(NodeId to, String reason) {
    if (!reason.equals(unsent.put(to, reason))) {
      LOG.warn("Control messages to " + to + " are not sent: " + reason);
    }
  }

  @Override
  public void install(TableDelta delta, SegmentTable newImage) {
    decided.add(() -> listener.onTable(delta, newImage));
  }

  @Override
  public void lease(long untilNanos) {
    decided.add(() -> listener.leased(untilNanos));
  }

  @Override
  public void coordinating(boolean coordinates) {
    decided.add(() -> listener.coordinating(coordinates));
  }

  @Override
  public void refused(String reason) {
    decided.add(() -> listener.refused(reason));
  }

  @Override
  public void left() {
    decided.add(listener::left);
  }

  @Override
  public void suspended(String reason) {
    decided.add(() -> listener.suspended(reason));
  }

  @Override
  public void stalled(SegmentTable inForce, String reason) {
    decided.add(() -> listener.stalled(inForce, reason));
  }

  @Override
  public void resumed() {
    decided.add(() -> listener.suspended(null));
  }

  @Override
  public void warned(String text) {
    LOG.warn(text);
  }
}
