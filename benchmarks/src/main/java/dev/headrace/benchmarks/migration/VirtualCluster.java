package dev.headrace.benchmarks.migration;

import dev.headrace.api.SplitPolicy;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.cluster.agreement.NodeProbe;
import dev.headrace.rebalance.agreement.AgreementEffects;
import dev.headrace.rebalance.agreement.AgreementSettings;
import dev.headrace.rebalance.agreement.ClusterTerms;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.agreement.TableAgreement;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.migration.CopyReport;
import dev.headrace.rebalance.migration.Rebalancer;
import dev.headrace.rebalance.migration.RebalancerEffects;
import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.rebalance.migration.SegmentCopy;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyOrder.Copy;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * More members than a machine can run: what decides about segments on each of them, an agreement
 * and a coordinator, in one thread and with a clock that is turned by hand. Nothing is stored: a
 * source reports that a copy is ready {@value #FILL_NANOS} ns after it was ordered.
 *
 * <p>What is counted is what does not depend on a machine: replicas moved when members join, when
 * one leaves in order and when one crashes, against the fewest possible, the bytes that publish
 * changes, in their binary form, and what a member has to do for one move: the messages of the
 * agreement and of the rebalancer that it handles, and their bytes, as if each member had a
 * processor of its own. Times would be those of the numbers in this class and are not told.
 */
final class VirtualCluster {

  private static final long MESSAGE_NANOS = 500_000;
  private static final long FILL_NANOS = 2_000_000;
  private static final long TICK_NANOS = 5_000_000;
  private static final long LIMIT_NANOS = 600_000_000_000L;

  private record Event(long dueNanos, long number, Runnable action) {}

  private final JoinCase shape;
  private final TableWatch watch = new TableWatch();
  private final List<Host> hosts = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::dueNanos).thenComparing(Event::number));
  private long nowNanos = 1;
  private long eventNumber;
  private long viewMark;
  private long handledMessages;
  private long agreementBytes;

  private VirtualCluster(JoinCase shape) {
    this.shape = shape;
  }

  /** Measures a {@link JoinCase}: its entries do not matter. */
  static HarnessMessage measure(HarnessMessage message) {
    return new VirtualCluster(JoinCase.of(message)).run();
  }

  private HarnessMessage run() {
    join(1);
    hosts.get(0).agreement.requestFirstWrite(nowNanos);
    until("a written table", this::isWritten);
    tick();
    watch.reset();
    handledMessages = 0;
    agreementBytes = 0;
    join(shape.members() - 1);
    until("a level table after the joins", this::isLevel);
    double shares = (double) watch.log().migrations() * shape.members();
    HarnessMessage joined =
        watch
            .addTo(HarnessMessage.of("measured"), shape.members() - 1)
            .with("migrations", watch.log().migrations())
            .with("messagesPerMove", handledMessages / shares)
            .with("agreementBytesPerMove", agreementBytes / shares)
            .with("imageBytes", TableFigures.imageBytesPerReplica(watch.table()));
    return crash(leave(joined));
  }

  private HarnessMessage leave(HarnessMessage message) {
    watch.reset();
    Host leaver = hosts.get(hosts.size() - 1);
    int owned = leaver.replicas();
    until(
        "a member to leave",
        () -> {
          leaver.agreement.requestLeave(leaver.owesNothingAt(), nowNanos);
          return leaver.left;
        });
    HarnessMessage left =
        message.with("leaveOwned", owned).with("leaveCopies", watch.log().migrations());
    remove(leaver);
    until("a level table after the leave", this::isLevel);
    return left;
  }

  private HarnessMessage crash(HarnessMessage message) {
    watch.reset();
    Host dead = hosts.get(hosts.size() - 1);
    int lost = dead.replicas();
    remove(dead);
    until("a level table after the crash", this::isLevel);
    return message.with("crashLost", lost).with("crashCopies", watch.log().migrations());
  }

  private void join(int count) {
    ClusterTerms terms =
        new ClusterTerms("virtual", shape.segments(), shape.owners(), 1 << 20, OptionalLong.of(1));
    for (int i = 0; i < count; i++) {
      int number = hosts.size() + 1;
      Member member =
          new Member(new NodeId(number, number), "node-" + number, "127.0.0.1", number, "", 1);
      AgreementSettings settings = AgreementSettings.of(member, terms, SplitPolicy.DENY);
      hosts.add(new Host(settings.movingSegments()));
    }
    view();
  }

  private void remove(Host host) {
    host.gone = true;
    hosts.remove(host);
    view();
  }

  private void view() {
    MemberView view = new MemberView(++viewMark, hosts.stream().map(host -> host.id).toList());
    hosts.forEach(host -> host.run(() -> host.agreement.viewChanged(view, nowNanos)));
  }

  private boolean isWritten() {
    SegmentTable first = hosts.get(0).table();
    return first != null && first.written();
  }

  private boolean isLevel() {
    SegmentTable first = hosts.get(0).table();
    return first != null
        && first.members().size() == hosts.size()
        && hosts.stream().noneMatch(host -> host.isBusy())
        && hosts.stream().allMatch(host -> host.hasEpoch(first.epoch()))
        && TableWatch.isLevel(first, hosts.size(), shape.owners());
  }

  // ---- Time

  private void until(String what, BooleanSupplier condition) {
    long limitNanos = nowNanos + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      if (nowNanos > limitNanos) {
        throw new IllegalStateException("The members did not come to " + what);
      }
      tick();
    }
  }

  private void tick() {
    long nextNanos = nowNanos + TICK_NANOS;
    for (Event next = events.peek();
        next != null && next.dueNanos <= nextNanos;
        next = events.peek()) {
      events.remove();
      nowNanos = Math.max(nowNanos + 1, next.dueNanos); // no two events at one time
      next.action.run();
    }
    nowNanos = Math.max(nowNanos, nextNanos);
    for (Host host : List.copyOf(hosts)) {
      nowNanos++;
      host.run(() -> host.agreement.tick(nowNanos));
      host.rebalancer.tick(nowNanos);
    }
  }

  private void after(long nanos, Runnable action) {
    events.add(new Event(nowNanos + nanos, eventNumber++, action));
  }

  /** What decides on one member, and what it wants done. */
  private final class Host implements AgreementEffects, RebalancerEffects {
    private final NodeId id;
    private final NodeProbe probe = watch.probe();
    private final Rebalancer rebalancer = new Rebalancer(RebalancerSettings.defaults(), this);
    private final TableAgreement agreement;
    private boolean left;
    private boolean gone;

    Host(AgreementSettings settings) {
      this.id = settings.self().id();
      this.agreement = new TableAgreement(settings, new WeightedRendezvous(), new Random(1), this);
    }

    @Nullable SegmentTable table() {
      return agreement.table();
    }

    boolean hasEpoch(long epoch) {
      SegmentTable table = agreement.table();
      return table != null && table.epoch() == epoch;
    }

    int replicas() {
      SegmentTable table = agreement.table();
      return table == null ? 0 : table.replicas(id);
    }

    long owesNothingAt() {
      SegmentTable table = agreement.table();
      return table != null && table.replicas(id) == 0 ? table.epoch() : SegmentTable.NEVER;
    }

    boolean isBusy() {
      return rebalancer.inFlight() > 0;
    }

    void run(Runnable event) {
      if (!gone) {
        event.run();
        rebalancer.leaving(agreement.leaving());
      }
    }

    // ---- Of the agreement

    @Override
    public void send(NodeId to, ControlMessage message) {
      byte[] bytes = message.encode(agreement.protocolWith(to));
      handledMessages++;
      agreementBytes += bytes.length;
      if (message instanceof ControlMessage.Append append && append.publishes()) {
        probe.published(bytes.length, append.image() != null);
      }
      after(MESSAGE_NANOS, () -> deliver(to, bytes));
    }

    private void deliver(NodeId to, byte[] bytes) {
      for (Host host : List.copyOf(hosts)) {
        if (host.id.equals(to)) {
          ControlMessage message =
              ControlMessage.decode(ByteBuffer.wrap(bytes), ProtocolVersions.OWN);
          host.run(() -> host.agreement.received(id, message, nowNanos));
        }
      }
    }

    @Override
    public void install(TableDelta delta, SegmentTable newImage) {
      probe.onTable(delta, newImage);
      rebalancer.onTable(delta, newImage);
    }

    @Override
    public void coordinating(boolean coordinates) {
      rebalancer.coordinating(coordinates);
    }

    @Override
    public void lease(long untilNanos) {}

    @Override
    public void refused(String reason) {
      throw new IllegalStateException(reason);
    }

    @Override
    public void left() {
      left = true;
    }

    @Override
    public void suspended(String reason) {}

    @Override
    public void resumed() {}

    @Override
    public void stalled(SegmentTable inForce, String reason) {}

    @Override
    public void warned(String text) {}

    // ---- Of the coordinator

    @Override
    public void copy(NodeId primary, long epoch, List<SegmentCopy> copies) {
      handledMessages += 2; // the order at its primary, the report at the coordinator
      probe.ordered(
          new CopyOrder(
              epoch,
              copies.stream()
                  .map(one -> new Copy(one.migration(), one.segment(), one.destinations()))
                  .toList()));
      List<CopyReport> reports =
          copies.stream()
              .map(one -> new CopyReport(one.migration(), one.segment(), true, 0))
              .toList();
      after(FILL_NANOS, () -> rebalancer.reported(reports));
    }

    @Override
    public void cancel(NodeId primary, List<Long> migrations) {}

    @Override
    public void propose(Proposal proposal) {
      after(0, () -> run(() -> agreement.propose(proposal, nowNanos)));
    }

    @Override
    public void progress(RebalanceProgress now, MovesNotice moves) {}
  }
}
