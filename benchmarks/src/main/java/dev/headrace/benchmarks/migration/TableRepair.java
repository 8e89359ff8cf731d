package dev.headrace.benchmarks.migration;

import dev.headrace.api.SplitPolicy;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.rebalance.agreement.AgreementEffects;
import dev.headrace.rebalance.agreement.AgreementSettings;
import dev.headrace.rebalance.agreement.ClusterTerms;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.agreement.TableAgreement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes it takes until a member whose table differs in one segment has the right row.
 *
 * <p>Three agreements talk through a queue, without threads or sockets. A change of one segment's
 * owners is falsified on its way to the last member; counted are the bytes of all messages that ask
 * for stamps, tell them, or bring rows, in their binary form.
 */
final class TableRepair {

  private static final int MEMBERS = 3;
  private static final int OWNERS = 2;
  private static final int SEGMENT = 4711;
  private static final long STEP_NANOS = 1_000_000;
  private static final int MAX_STEPS = 20_000;

  private record Sent(NodeId from, NodeId to, ByteBuffer bytes) {}

  private final Queue<Sent> wire = new ArrayDeque<>();
  private final List<Host> hosts = new ArrayList<>();
  private long nowNanos = 1;
  private long repairBytes;
  private int repairMessages;
  private boolean falsifies;

  private TableRepair(int segments) {
    ClusterTerms terms = new ClusterTerms("repair", segments, OWNERS, 1 << 20, OptionalLong.of(1));
    for (int i = 0; i < MEMBERS; i++) {
      NodeId id = new NodeId(i + 1, i + 1);
      Member member = new Member(id, "node-" + i, "127.0.0.1", 7000 + i, "", 1);
      hosts.add(new Host(AgreementSettings.of(member, terms, SplitPolicy.DENY)));
    }
  }

  /** Measures a table of {@code segments}. */
  static HarnessMessage measure(HarnessMessage message) {
    return new TableRepair(message.whole("segments")).run();
  }

  private HarnessMessage run() {
    MemberView view = new MemberView(1, hosts.stream().map(host -> host.id).toList());
    hosts.forEach(host -> host.agreement.viewChanged(view, nowNanos));
    hosts.get(0).agreement.requestFirstWrite(nowNanos);
    until("a written table", () -> isSame() && table(0).written() && coordinator() != null);
    falsifies = true;
    Host coordinator = coordinator();
    if (coordinator == null) {
      throw new IllegalStateException("Nobody coordinates any more");
    }
    coordinator.agreement.propose(TableRepair::swapped, nowNanos);
    long before = table(0).epoch();
    until("a false table", () -> !falsifies);
    until("the right table", () -> table(0).epoch() > before && isSame());
    if (repairMessages == 0) {
      throw new IllegalStateException("The false table was not found by its stamp");
    }
    return HarnessMessage.of("measured")
        .with("bytes", repairBytes)
        .with("messages", repairMessages);
  }

  private static TableDelta swapped(SegmentTable newest, long epoch) {
    List<NodeId> row = new ArrayList<>(newest.owners(SEGMENT));
    Collections.reverse(row);
    return newest.edit(epoch).owners(SEGMENT, row).delta();
  }

  private @Nullable Host coordinator() {
    return hosts.stream().filter(host -> host.coordinates).findFirst().orElse(null);
  }

  private SegmentTable table(int host) {
    SegmentTable table = hosts.get(host).agreement.table();
    if (table == null) {
      throw new IllegalStateException("Node " + host + " has no table yet");
    }
    return table;
  }

  private boolean isSame() {
    if (hosts.stream().anyMatch(host -> host.agreement.table() == null)) {
      return false;
    }
    SegmentTable first = table(0);
    for (int i = 1; i < MEMBERS; i++) {
      SegmentTable other = table(i);
      if (other.epoch() != first.epoch() || other.stamp() != first.stamp()) {
        return false;
      }
    }
    return true;
  }

  private void until(String what, BooleanSupplier condition) {
    for (int step = 0; !condition.getAsBoolean(); step++) {
      if (step == MAX_STEPS) {
        throw new IllegalStateException("The agreements did not come to " + what);
      }
      Sent sent = wire.poll();
      if (sent != null) {
        deliver(sent);
      } else {
        nowNanos += STEP_NANOS;
        hosts.forEach(host -> host.agreement.tick(nowNanos));
      }
    }
  }

  private void deliver(Sent sent) {
    int bytes = sent.bytes.remaining();
    ControlMessage message = ControlMessage.decode(sent.bytes, ProtocolVersions.OWN);
    boolean repairs = message instanceof RangeStamps || message instanceof RangeRepair;
    if (repairs) {
      repairBytes += bytes;
      repairMessages++;
    }
    for (Host host : hosts) {
      if (host.id.equals(sent.to)) {
        host.agreement.received(sent.from, falsified(host, message), nowNanos);
      }
    }
  }

  /** Another row in the change of the segment, if this is that change on its way to the last. */
  private ControlMessage falsified(Host to, ControlMessage message) {
    boolean last = to == hosts.get(MEMBERS - 1);
    if (!falsifies || !last || !(message instanceof Append append) || append.deltas().isEmpty()) {
      return message;
    }
    falsifies = false;
    TableDelta delta = append.deltas().get(0);
    SegmentTable base = table(MEMBERS - 1);
    List<NodeId> row = new ArrayList<>(base.owners(SEGMENT));
    NodeId other =
        hosts.stream()
            .map(host -> host.id)
            .filter(id -> !row.contains(id))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("Every node owns the segment"));
    row.set(0, other);
    TableDelta wrong = base.edit(delta.epoch()).owners(SEGMENT, row).delta();
    return new Append(
        append.viewMark(),
        append.ballot(),
        append.askedNanos(),
        append.echoNanos(),
        append.newestEpoch(),
        append.inForceEpoch(),
        append.fromEpoch(),
        append.image(),
        List.of(wrong));
  }

  /** One agreement and what it wants done. */
  private final class Host implements AgreementEffects {
    private final NodeId id;
    private final TableAgreement agreement;
    private boolean coordinates;

    Host(AgreementSettings settings) {
      this.id = settings.self().id();
      this.agreement = new TableAgreement(settings, new WeightedRendezvous(), new Random(1), this);
    }

    @Override
    public void send(NodeId to, ControlMessage message) {
      wire.add(new Sent(id, to, ByteBuffer.wrap(message.encode(agreement.protocolWith(to)))));
    }

    @Override
    public void coordinating(boolean coordinatesNow) {
      coordinates = coordinatesNow;
    }

    @Override
    public void install(TableDelta delta, SegmentTable newImage) {}

    @Override
    public void lease(long untilNanos) {}

    @Override
    public void refused(String reason) {
      throw new IllegalStateException(reason);
    }

    @Override
    public void left() {}

    @Override
    public void suspended(String reason) {}

    @Override
    public void resumed() {}

    @Override
    public void stalled(SegmentTable inForce, String reason) {}

    @Override
    public void warned(String text) {}
  }
}
