package dev.headrace.cluster.node;

import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.migration.CopyReport;
import dev.headrace.rebalance.migration.Director;
import dev.headrace.rebalance.migration.DirectorEffects;
import dev.headrace.rebalance.migration.SegmentCopy;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.FillCancel;
import dev.headrace.replication.message.FillOrder;
import dev.headrace.replication.message.FillOrder.Fill;
import dev.headrace.replication.message.FillReport;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives the director on the node's control executor, where the ledger runs too, and keeps what it
 * told of its progress, or what another node's director did. The progress may be asked for by any
 * thread.
 */
final class Rebalancing implements DirectorEffects {
  private static final System.Logger LOG = System.getLogger(Rebalancing.class.getName());

  private final NodeId self;
  private final Executor control;
  private final BiConsumer<NodeId, Message> transport;
  private final Consumer<Proposal> ledger;
  private final NodeProbe probe;
  private final Director director; // used on the control executor only
  private @Nullable SegmentTable table; // on the control executor

  /** The other node that has told the progress last, on the control executor. */
  private @Nullable NodeId teller;

  private volatile Progress progress = Progress.NONE; // written on the control executor

  Rebalancing(
      NodeId self,
      NodeTuning tuning,
      Executor control,
      BiConsumer<NodeId, Message> transport,
      Consumer<Proposal> ledger) {
    this.self = self;
    this.control = control;
    this.transport = transport;
    this.ledger = ledger;
    this.probe = tuning.probe();
    this.director = new Director(tuning.director(), this);
  }

  // ---- On the control executor

  void installed(SegmentTable newer, @Nullable TableDelta delta) {
    table = newer;
    NodeId from = teller;
    if (from != null && newer.member(from) == null) {
      learn(Progress.NONE); // whoever directs now tells more, if there is more
    }
    probe.installed(newer, delta);
    director.installed(newer, delta != null);
  }

  void leading(boolean leads) {
    director.leading(leads);
  }

  void leaving(Set<NodeId> nodes) {
    director.leaving(nodes);
  }

  void tick(long nowNanos) {
    director.tick(nowNanos);
  }

  /** Migrations that this node directs and that are not in force. */
  int underWay() {
    return director.underWay();
  }

  /** For people. */
  @Override
  public String toString() {
    return director.toString();
  }

  // ---- On any thread

  void reported(FillReport report) {
    List<CopyReport> reports =
        report.states().stream()
            .map(
                one ->
                    new CopyReport(one.migration(), one.segment(), one.ready(), one.copiedBytes()))
            .toList();
    control.execute(() -> director.reported(reports));
  }

  /** Another node, which directs, tells how far it is. */
  void told(NodeId from, Progress other) {
    control.execute(
        () -> {
          teller = from;
          learn(other);
        });
  }

  /** That there is nothing to do ends what was left undone, and lets stand what was finished. */
  private void learn(Progress newer) {
    if (!newer.equals(Progress.NONE) || !progress.finished()) {
      progress = newer;
    }
  }

  /** The rebalance that goes on or was the last, as far as this node has heard. */
  Progress progress() {
    return progress;
  }

  // ---- Effects

  @Override
  public void copy(NodeId primary, long epoch, List<SegmentCopy> copies) {
    FillOrder order =
        new FillOrder(
            epoch,
            copies.stream()
                .map(one -> new Fill(one.migration(), one.segment(), one.destinations()))
                .toList());
    probe.ordered(order);
    transport.accept(primary, order);
  }

  @Override
  public void cancel(NodeId primary, List<Long> migrations) {
    transport.accept(primary, new FillCancel(migrations));
  }

  @Override
  public void propose(Proposal proposal) {
    ledger.accept(
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
    LOG.log(System.Logger.Level.WARNING, text);
  }

  @Override
  public void progress(Progress now) {
    teller = null;
    learn(now);
    SegmentTable present = table;
    if (present != null) {
      for (Member member : present.members()) {
        if (!member.id().equals(self)) {
          transport.accept(member.id(), now);
        }
      }
    }
  }
}
