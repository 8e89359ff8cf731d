package dev.headrace.cluster.agreement;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.migration.CopyReport;
import dev.headrace.rebalance.migration.Rebalancer;
import dev.headrace.rebalance.migration.RebalancerEffects;
import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.rebalance.migration.SegmentCopy;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyOrder.Copy;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the rebalancer on the node's control executor, where the agreement runs, too. It keeps the
 * progress that this node's rebalancer, or another coordinator, has reported; any thread may read
 * it.
 */
public final class Rebalancing implements TableListener, RebalancerEffects {
  private static final Logger LOG = LoggerFactory.getLogger(Rebalancing.class);

  private final NodeId self;
  private final Executor control;
  private final BiConsumer<NodeId, Message> transport;
  private final Consumer<Proposal> agreement;
  private final NodeProbe probe;
  private final Consumer<RebalanceProgress> completed;
  private final Rebalancer rebalancer; // used on the control executor only
  private @Nullable SegmentTable table; // on the control executor

  /** The other node that was the last to report progress; on the control executor. */
  private @Nullable NodeId teller;

  private volatile RebalanceProgress progress =
      RebalanceProgress.NONE; // written on the control executor

  private volatile MovesNotice moves = MovesNotice.NONE; // written on the control executor

  /**
   * @param completed is told of each rebalance that is complete, on the control executor
   */
  public Rebalancing(
      NodeId self,
      RebalancerSettings settings,
      NodeProbe probe,
      Executor control,
      BiConsumer<NodeId, Message> transport,
      Consumer<Proposal> agreement,
      Consumer<RebalanceProgress> completed) {
    this.self = self;
    this.control = control;
    this.transport = transport;
    this.agreement = agreement;
    this.probe = probe;
    this.completed = completed;
    this.rebalancer = new Rebalancer(settings, this);
  }

  // ---- On the control executor

  @Override
  public void onTable(TableDelta delta, SegmentTable newer) {
    table = newer;
    NodeId from = teller;
    if (from != null && newer.member(from) == null) {
      learn(RebalanceProgress.NONE); // the present coordinator reports any further progress
      moves = MovesNotice.NONE;
    }
    rebalancer.onTable(delta, newer);
  }

  public void coordinating(boolean coordinates) {
    rebalancer.coordinating(coordinates);
  }

  public void leaving(Set<NodeId> nodes) {
    rebalancer.leaving(nodes);
  }

  public void tick(long nowNanos) {
    rebalancer.tick(nowNanos);
  }

  /** The number of migrations that this node coordinates and that are not in force yet. */
  public int inFlight() {
    return rebalancer.inFlight();
  }

  /** A description for people. */
  @Override
  public String toString() {
    return rebalancer.toString();
  }

  // ---- On any thread

  void reported(CopyStateReport report) {
    List<CopyReport> reports =
        report.states().stream()
            .map(
                one ->
                    new CopyReport(one.migration(), one.segment(), one.ready(), one.copiedBytes()))
            .toList();
    control.execute(() -> rebalancer.reported(reports));
  }

  /** Another node, the coordinator, reports its progress. */
  void told(NodeId from, RebalanceProgress other) {
    control.execute(
        () -> {
          teller = from;
          learn(other);
        });
  }

  /** Another node, the coordinator, tells which segments are being copied. */
  void told(NodeId from, MovesNotice others) {
    control.execute(
        () -> {
          teller = from;
          moves = others;
        });
  }

  /**
   * Takes newer progress, but keeps a finished rebalance if the report only says that there is
   * nothing to do.
   */
  private void learn(RebalanceProgress newer) {
    RebalanceProgress before = progress;
    if (newer.finished() && newer.copies() > 0 && !before.finished()) {
      completed.accept(newer);
    }
    if (!newer.equals(RebalanceProgress.NONE) || !before.finished()) {
      progress = newer;
    }
  }

  /** The present rebalance, or the last one, as far as this node has heard. */
  public RebalanceProgress progress() {
    return progress;
  }

  /** The segments that are being copied, as far as this node has heard. */
  public MovesNotice moves() {
    return moves;
  }

  // ---- Effects

  @Override
  public void copy(NodeId primary, long epoch, List<SegmentCopy> copies) {
    CopyOrder order =
        new CopyOrder(
            epoch,
            copies.stream()
                .map(one -> new Copy(one.migration(), one.segment(), one.destinations()))
                .toList());
    probe.ordered(order);
    transport.accept(primary, order);
  }

  @Override
  public void cancel(NodeId primary, List<Long> migrations) {
    transport.accept(primary, new CopyCancel(migrations));
  }

  @Override
  public void propose(Proposal proposal) {
    agreement.accept(
        (newest, epoch) -> {
          TableDelta delta = proposal.on(newest, epoch);
          if (delta != null) {
            probe.decided(epoch);
          }
          return delta;
        });
  }

  @Override
  public void warned(String text) {
    LOG.warn(text);
  }

  @Override
  public void progress(RebalanceProgress now, MovesNotice nowMoving) {
    boolean some = !nowMoving.moves().isEmpty() || !moves.moves().isEmpty();
    teller = null;
    learn(now);
    moves = nowMoving;
    SegmentTable present = table;
    if (present == null) {
      return;
    }
    boolean known = present.header().protocol() >= MovesNotice.PROTOCOL;
    for (Member member : present.members()) {
      if (!member.id().equals(self)) {
        transport.accept(member.id(), now);
        if (some && known) {
          transport.accept(member.id(), nowMoving);
        }
      }
    }
  }
}
