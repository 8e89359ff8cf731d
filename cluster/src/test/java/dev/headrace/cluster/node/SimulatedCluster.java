package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.rebalance.ledger.MemberView;
import dev.headrace.rebalance.message.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of the production code, with a network, a membership and a clock that a seed decides.
 *
 * <p>Connections keep their order and lose what is under way when they break; control messages are
 * reliable between members; a crash is noticed after a while, by each node at another moment.
 */
final class SimulatedCluster {
  final SimulatedTime time;
  final Map<NodeId, SimulatedNode> nodes = new LinkedHashMap<>();
  private @Nullable Throwable failure;

  private final Map<String, Connection> connections = new HashMap<>();
  private final List<NodeId> members = new ArrayList<>();
  private long viewMark;

  /** One direction between two nodes, for messages, control messages or batches. */
  private static final class Connection {
    long lastArrivalNanos;
    long generation;
  }

  SimulatedCluster(long seed) {
    time = new SimulatedTime(seed);
  }

  // ---- Checks

  /** Something went wrong; the run ends with it as soon as the present event is over. */
  void fail(Throwable error) {
    if (failure == null) {
      failure = error;
    }
  }

  void check(boolean condition, String message) {
    check(condition, () -> message);
  }

  void check(boolean condition, Supplier<String> message) {
    if (failure != null) {
      throw new AssertionError("the run failed at " + time.nanoTime() + " ns", failure);
    }
    if (!condition) {
      AssertionError error = new AssertionError(message.get());
      fail(error);
      throw error;
    }
  }

  // ---- Nodes

  SimulatedNode start(NodeSettings settings) {
    NodeId id = new NodeId(time.random.nextLong(), time.random.nextLong());
    SimulatedNode node = new SimulatedNode(this, id, settings);
    nodes.put(id, node);
    members.add(id);
    announceView();
    return node;
  }

  List<SimulatedNode> living() {
    return nodes.values().stream().filter(node -> node.alive).toList();
  }

  /** A node stops at once; the others notice it on their connections first, then in a view. */
  void crash(SimulatedNode node) {
    node.alive = false;
    for (SimulatedNode other : living()) {
      breakConnections(node.id, other.id);
      time.schedule(time.delayNanos(100, 20_000), () -> disconnected(other, node.id));
    }
    time.schedule(
        time.delayNanos(20_000, 900_000),
        () -> {
          members.remove(node.id);
          announceView();
        });
  }

  /** Everything under way between two nodes is lost; both go on. */
  void cutConnection(SimulatedNode one, SimulatedNode other) {
    breakConnections(one.id, other.id);
    time.schedule(time.delayNanos(10, 5_000), () -> disconnected(one, other.id));
    time.schedule(time.delayNanos(10, 5_000), () -> disconnected(other, one.id));
  }

  /** A node ends its connections to one that is no longer a member. */
  void forget(SimulatedNode node, NodeId left) {
    breakConnections(node.id, left);
  }

  private void disconnected(SimulatedNode node, NodeId lost) {
    if (node.alive) {
      node.engine.onDisconnected(lost);
    }
  }

  private void announceView() {
    MemberView view = new MemberView(++viewMark, members);
    for (NodeId id : members) {
      SimulatedNode node = nodes.get(id);
      deliver(connection("view", id, id), 2_000, () -> node.engine.viewChanged(view), node);
    }
  }

  // ---- Network

  void send(SimulatedNode from, NodeId to, Message message) {
    SimulatedNode target = nodes.get(to);
    if (target != null && target.alive && from.alive) {
      deliver(
          connection("operations", from.id, to),
          3_000,
          () -> target.engine.onMessage(from.id, message),
          target);
    }
  }

  void control(SimulatedNode from, NodeId to, byte[] message) {
    SimulatedNode target = nodes.get(to);
    if (target != null && members.contains(to) && from.alive) {
      deliver(
          connection("control", from.id, to),
          2_000,
          () -> target.engine.received(from.id, message),
          target);
    }
  }

  void read(SimulatedNode from, NodeId node, ReadRequest request, ReadHandler handler) {
    SimulatedNode target = nodes.get(node);
    if (target == from) {
      from.serve(from, request, handler);
      return;
    }
    if (target == null || !target.alive) {
      later(from, () -> handler.failed(new IllegalStateException("no connection")));
      return;
    }
    Once once = new Once(from, target, handler);
    deliver(
        connection("bulk", from.id, node), 3_000, () -> target.serve(from, request, once), target);
    once.failWhenBroken();
  }

  private void later(SimulatedNode node, Runnable task) {
    time.schedule(
        time.delayNanos(10, 1_000),
        () -> {
          if (node.alive) {
            task.run();
          }
        });
  }

  private void deliver(Connection connection, long mostMicros, Runnable task, SimulatedNode to) {
    long now = time.nanoTime();
    long arrival = Math.max(connection.lastArrivalNanos, now + time.delayNanos(20, mostMicros));
    connection.lastArrivalNanos = arrival;
    long generation = connection.generation;
    time.schedule(
        arrival - now,
        () -> {
          if (to.alive && generation == connection.generation) {
            task.run();
          }
        });
  }

  private Connection connection(String kind, NodeId from, NodeId to) {
    return connections.computeIfAbsent(kind + from + to, absent -> new Connection());
  }

  private void breakConnections(NodeId one, NodeId other) {
    for (String kind : List.of("operations", "bulk", "answers")) {
      connection(kind, one, other).generation++;
      connection(kind, other, one).generation++;
    }
  }

  /** Answers a remote read over the way back, or fails it when the connection breaks. */
  private final class Once implements ReadHandler {
    private final SimulatedNode from;
    private final SimulatedNode target;
    private final ReadHandler handler;
    private final Connection back;
    private final long generation;
    private boolean ended;
    private boolean delivered;

    Once(SimulatedNode from, SimulatedNode target, ReadHandler handler) {
      this.from = from;
      this.target = target;
      this.handler = handler;
      this.back = connection("answers", target.id, from.id);
      this.generation = back.generation;
    }

    @Override
    public void received(Batch batch) {
      long before = back.generation;
      deliver(
          back,
          3_000,
          () -> {
            ended = true;
            delivered = true;
            handler.received(batch);
          },
          from);
      // A batch that is lost on the way is nobody's: its buffer goes back.
      time.schedule(
          100_000_000,
          () -> {
            if (!delivered && (before != back.generation || !from.alive)) {
              batch.release();
            }
          });
    }

    @Override
    public void failed(Throwable cause) {
      deliver(
          back,
          3_000,
          () -> {
            ended = true;
            handler.failed(cause);
          },
          from);
    }

    /** Looks now and then whether the connection still stands. */
    void failWhenBroken() {
      time.schedule(
          2_000_000,
          () -> {
            if (ended || !from.alive) {
              return;
            }
            if (generation != back.generation) {
              handler.failed(new IllegalStateException("connection to " + target.id + " lost"));
              ended = true;
            } else {
              failWhenBroken();
            }
          });
    }
  }
}
