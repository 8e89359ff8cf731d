package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.cluster.agreement.ControlEnvelope;
import dev.headrace.cluster.node.simulation.Engine;
import dev.headrace.cluster.node.simulation.LaneBounds;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.LaneLoad;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadRequest;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The engine of the production code, on the ports of a simulated node. */
final class EngineInSimulation implements Engine {
  private final NodeEngine engine;

  private EngineInSimulation(NodeEngine engine) {
    this.engine = engine;
  }

  static Engine on(SimulatedNode node, Member member) {
    NodePorts ports =
        new NodePorts(
            node.membership(),
            node.transport(),
            peer -> false,
            node.reads(),
            node.buffers(),
            node::forget,
            (peer, refused) -> {},
            node.timer(),
            node.wallMillis(),
            node.control(),
            node.lanes(),
            node.lanes(),
            node.user(),
            node.user(),
            node.random());
    return new EngineInSimulation(new NodeEngine(node.settings, member, ports, tuning(node)));
  }

  private static NodeTuning tuning(SimulatedNode node) {
    NodeTuning usual = NodeTuning.defaults();
    return usual.withLanes(
        lanes ->
            node.isNarrow()
                ? lanes
                    .withBounds(
                        LaneBounds.OUTBOX_ENTRIES, LaneBounds.OUTBOX_BYTES, LaneBounds.WAITING)
                    .withCopies(LaneBounds.RANGE_BYTES, node.carriedBytes())
                : lanes.withCopies(lanes.rangeBytes(), node.carriedBytes()));
  }

  @Override
  public LaneLoad load() {
    return engine.lanes().load();
  }

  @Override
  public void tick(long nowNanos) {
    engine.tick(nowNanos);
  }

  @Override
  public @Nullable SegmentTable table() {
    return engine.admission().joined().isDone()
            && !engine.admission().joined().isCompletedExceptionally()
        ? engine.table()
        : null;
  }

  @Override
  public @Nullable String ended() {
    return engine.admission().ended().getNow(null);
  }

  @Override
  public void leave() {
    engine.leave();
  }

  @Override
  public CompletionStage<Set<Integer>> giveUp(Set<Integer> segments) {
    return engine.giveUp(segments);
  }

  @Override
  public void close() {
    engine.close();
  }

  @Override
  public <K, V> Cache<K, V> open(CacheSettings<K, V> cache) {
    return engine.opening().open(cache);
  }

  @Override
  public @Nullable NodeId coordinator() {
    return engine.coordinator();
  }

  @Override
  public ControlMessage control(byte[] message) {
    return ControlEnvelope.decode(message).message();
  }

  @Override
  public String inFlight() {
    return engine.diagnosis().inFlight();
  }

  @Override
  public long resultBytes() {
    return engine.lanes().resultBytes();
  }

  @Override
  public void viewChanged(MemberView view) {
    engine.viewChanged(view);
  }

  @Override
  public void received(NodeId from, byte[] message) {
    engine.received(from, message);
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    engine.onMessage(from, message);
  }

  @Override
  public void onDisconnected(NodeId node) {
    engine.onDisconnected(node);
  }

  @Override
  public void read(ReadRequest request, ReadReply reply) {
    engine.read(request, reply);
  }
}
