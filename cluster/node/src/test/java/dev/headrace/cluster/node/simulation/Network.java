package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.node.simulation.oracle.StreamBounds;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.replication.message.Operation;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.Projection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections between each two nodes and each way: one for control messages, and one or more for
 * operations and for batches with their answers. Each share of the messages has one of these.
 *
 * <p>At its best, connections keep their order and lose what is under way when they break, which
 * both ends are told. It can be worse: messages are lost, doubled (but no operations), overtaken or
 * late by seconds, links are slow or dead, in one direction or in both.
 */
final class Network {
  private static final long MOST_MICROS = 2_500;
  private static final long LATE_MICROS = 4_000_000;
  private static final String CONTROL = "control";
  private static final List<String> KINDS = List.of("operations", "bulk", "answers");

  /** One message in so many is lost, doubled, overtaken, late; 0 for none. */
  int lostOnceIn;

  int doubledOnceIn;
  int overtakenOnceIn;
  int lateOnceIn;

  /** The most connections for operations, and for batches, that any node opens to another one. */
  int maxShares = 1;

  private final World world;
  private final SimulatedTime time;
  private final Map<Route, Connection> connections = new HashMap<>();
  private final Set<Pair> dead = new HashSet<>();
  private final Set<Pair> deadToData = new HashSet<>();
  private final Map<Pair, Long> slowMicros = new HashMap<>();
  private final OnTheWire wire = new OnTheWire();

  private record Pair(NodeId from, NodeId to) {}

  private record Route(String kind, NodeId from, NodeId to, int share) {}

  /** One direction of a connection. */
  private static final class Connection {
    long lastArrivalNanos;
    long generation;
    boolean breaking;
    int reads;
  }

  Network(World world) {
    this.world = world;
    this.time = world.time;
  }

  // ---- Faults

  /** Nothing arrives any more from one node at the other. */
  void cut(NodeId from, NodeId to) {
    dead.add(new Pair(from, to));
  }

  void heal(NodeId from, NodeId to) {
    dead.remove(new Pair(from, to));
  }

  /**
   * Nothing arrives any more from one of two nodes at the other.
   *
   * @param control whether control messages do not either
   */
  void cutBetween(SimulatedNode one, SimulatedNode other, boolean control) {
    Set<Pair> cut = control ? dead : deadToData;
    cut.add(new Pair(one.id, other.id));
    cut.add(new Pair(other.id, one.id));
  }

  void healBetween(SimulatedNode one, SimulatedNode other) {
    List<Pair> both = List.of(new Pair(one.id, other.id), new Pair(other.id, one.id));
    both.forEach(dead::remove);
    both.forEach(deadToData::remove);
  }

  private boolean isDead(Route route) {
    Pair pair = new Pair(route.from, route.to);
    return dead.contains(pair) || (!route.kind.equals(CONTROL) && deadToData.contains(pair));
  }

  /** All links of a node, in both directions, are dead or healed. */
  void isolate(SimulatedNode node, boolean isolated) {
    divide(List.of(node), isolated);
  }

  /** All links between some nodes and the others, in both directions, are dead or healed. */
  void divide(List<SimulatedNode> some, boolean divided) {
    for (SimulatedNode one : some) {
      for (SimulatedNode other : world.living()) {
        if (!some.contains(other) && divided) {
          cut(one.id, other.id);
          cut(other.id, one.id);
        } else if (!some.contains(other)) {
          heal(one.id, other.id);
          heal(other.id, one.id);
        }
      }
    }
  }

  void slow(NodeId from, NodeId to, long micros) {
    slowMicros.put(new Pair(from, to), micros);
    slowMicros.put(new Pair(to, from), micros);
  }

  /** All links are as they should be. */
  void heal() {
    dead.clear();
    deadToData.clear();
    slowMicros.clear();
    lostOnceIn = 0;
    doubledOnceIn = 0;
    overtakenOnceIn = 0;
    lateOnceIn = 0;
  }

  /** A process is gone: whoever had a connection to it is told. */
  void nodeGone(NodeId gone) {
    for (SimulatedNode other : world.living()) {
      breakConnections(gone, other.id);
      time.schedule(
          time.delayNanos(100, 20_000), () -> other.run(() -> other.engine.onDisconnected(gone)));
    }
  }

  /**
   * Everything under way between two nodes is lost, or where there are several connections perhaps
   * only what is on one of them, and both are told.
   */
  void drop(SimulatedNode one, SimulatedNode other) {
    drop(one, other, time.random.nextInt(maxShares));
  }

  /** The same, where something cannot be written to the connections of a share. */
  private void drop(SimulatedNode one, SimulatedNode other, int share) {
    if (maxShares > 1 && time.random.nextBoolean()) {
      world.count(Fault.ONE_SHARE_LOST);
      breakConnections(one.id, other.id, share);
    } else {
      breakConnections(one.id, other.id);
    }
    time.schedule(
        time.delayNanos(10, 5_000), () -> one.run(() -> one.engine.onDisconnected(other.id)));
    time.schedule(
        time.delayNanos(10, 5_000), () -> other.run(() -> other.engine.onDisconnected(one.id)));
  }

  void breakConnections(NodeId one, NodeId other) {
    for (int share = 0; share < maxShares; share++) {
      breakConnections(one, other, share);
    }
  }

  private void breakConnections(NodeId one, NodeId other, int share) {
    for (String kind : KINDS) {
      connection(new Route(kind, one, other, share)).generation++;
      connection(new Route(kind, other, one, share)).generation++;
    }
  }

  // ---- Messages

  void send(SimulatedNode from, NodeId to, Message message) {
    String kind = message.getClass().getSimpleName();
    world.injector.sent(kind, from, to, message);
    SimulatedNode target = world.nodes.get(to);
    if (target != null && target.alive && from.alive) {
      byte[] bytes = wire.encode(message);
      transmit(
          new Route("operations", from.id, to, message.share() % from.settings.operationLoops()),
          target,
          !(message instanceof Operation) && !(message instanceof MessageGroup),
          () -> {
            Message arrived = wire.message(bytes);
            target.engine.onMessage(from.id, arrived);
            world.injector.delivered(kind, from, target, arrived);
          });
    }
  }

  void control(SimulatedNode from, NodeId to, byte[] message) {
    ControlMessage decoded = from.engine.control(message);
    String kind = decoded.getClass().getSimpleName();
    world.dangers.sent(from.id, decoded);
    world.injector.sent(kind, from, to, decoded);
    SimulatedNode target = world.nodes.get(to);
    boolean known = target != null && from.view.members().contains(to);
    if (known && target.alive && from.alive) {
      transmit(
          new Route(CONTROL, from.id, to, 0),
          target,
          true,
          () -> {
            if (target.view.members().contains(from.id)) {
              target.engine.received(from.id, message);
              world.injector.delivered(kind, from, target, decoded);
            }
          });
    }
  }

  /**
   * Has something arrive, perhaps.
   *
   * @param mayDouble whether it may arrive twice, though nothing does on one connection: an attempt
   *     of an operation must not, see {@link dev.headrace.stream.Transport}
   */
  private void transmit(Route route, SimulatedNode target, boolean mayDouble, Runnable task) {
    if (lost(route)) {
      return;
    }
    Connection connection = connection(route);
    if (unlucky(lateOnceIn)) {
      world.count(Fault.LATE_MESSAGE);
      time.schedule(time.delayNanos(300_000, LATE_MICROS), () -> target.run(task));
    } else if (unlucky(overtakenOnceIn)) {
      world.count(Fault.MESSAGE_OVERTAKEN);
      long generation = connection.generation;
      time.schedule(
          time.delayNanos(100, 4 * MOST_MICROS),
          () -> arrive(connection, generation, target, task));
    } else {
      deliver(route, connection, target, task);
    }
    if (mayDouble && unlucky(doubledOnceIn)) {
      world.count(Fault.MESSAGE_DOUBLED);
      time.schedule(time.delayNanos(20, 10 * MOST_MICROS), () -> target.run(task));
    }
  }

  private boolean unlucky(int onceIn) {
    return onceIn > 0 && time.onceIn(onceIn);
  }

  private boolean lost(Route route) {
    if (isDead(route)) {
      breakLater(route);
      return true;
    }
    if (unlucky(lostOnceIn)) {
      world.count(Fault.MESSAGE_LOST);
      return true;
    }
    return false;
  }

  /** What cannot be written any more breaks the connection after a while. */
  private void breakLater(Route route) {
    Connection connection = connection(route);
    SimulatedNode one = world.nodes.get(route.from);
    SimulatedNode other = world.nodes.get(route.to);
    if (connection.breaking || one == null || other == null) {
      return;
    }
    connection.breaking = true;
    time.schedule(
        time.delayNanos(10_000, 2_000_000),
        () -> {
          connection.breaking = false;
          drop(one, other, route.share);
        });
  }

  private void deliver(Route route, Connection connection, SimulatedNode target, Runnable task) {
    long now = time.nanoTime();
    long slow = slowMicros.getOrDefault(new Pair(route.from, route.to), 0L);
    long own = now + time.delayNanos(20 + slow / 2, MOST_MICROS + slow);
    long arrival = Math.max(connection.lastArrivalNanos, own);
    connection.lastArrivalNanos = arrival;
    long generation = connection.generation;
    time.schedule(arrival - now, () -> arrive(connection, generation, target, task));
  }

  private void arrive(Connection connection, long generation, SimulatedNode target, Runnable task) {
    target.run(
        () -> {
          if (generation == connection.generation) {
            task.run();
          }
        });
  }

  private Connection connection(Route route) {
    return connections.computeIfAbsent(route, absent -> new Connection());
  }

  // ---- Batches

  void read(SimulatedNode from, NodeId node, ReadRequest request, ReadHandler handler) {
    SimulatedNode target = world.nodes.get(node);
    StreamBounds stream = world.asking();
    if (target == null || !target.alive) {
      time.schedule(
          time.delayNanos(10, 1_000),
          () -> from.run(() -> handler.failed(new IllegalStateException("no connection"))));
      return;
    }
    String kind = request.projection() == Projection.REPLICA ? "RangeRequest" : "ReadRequest";
    world.injector.sent(kind, from, node, request);
    byte[] bytes = wire.encode(request);
    StreamBounds.Held held = stream == null ? null : stream.asked(request);
    int share = connection(new Route("bulk", from.id, node, 0)).reads++ % from.settings.bulkLoops();
    Answer answer = new Answer(from, target, request, handler, held, share);
    Route route = new Route("bulk", from.id, node, share);
    if (!isDead(route)) {
      deliver(
          route,
          connection(route),
          target,
          () -> {
            ReadRequest arrived = wire.request(bytes);
            target.serve(arrived, answer);
            world.injector.delivered(kind, from, target, arrived);
          });
    } else {
      breakLater(route);
    }
    answer.failWhenBroken();
  }

  /** Answers a remote read over the way back, or fails it when the connection breaks. */
  private final class Answer implements ReadHandler {
    private final SimulatedNode from;
    private final SimulatedNode target;
    private final ReadRequest request;
    private final ReadHandler handler;
    private final StreamBounds.@Nullable Held held;
    private final Route way;
    private final Connection back;
    private final long generation;
    private boolean ended;

    Answer(
        SimulatedNode from,
        SimulatedNode target,
        ReadRequest request,
        ReadHandler handler,
        StreamBounds.@Nullable Held held,
        int share) {
      this.from = from;
      this.target = target;
      this.request = request;
      this.handler = handler;
      this.held = held;
      this.way = new Route("answers", target.id, from.id, share);
      this.back = connection(way);
      this.generation = back.generation;
    }

    @Override
    public void received(Batch batch) {
      byte[] bytes = wire.encode(batch);
      batch.release();
      answer(
          () -> {
            from.batchesInUse++;
            Batch arrived = wire.batch(bytes, request, this::released);
            if (held != null) {
              held.answered(arrived.entryCount(), arrived.entries().remaining());
            }
            handler.received(arrived);
            if (request.projection() == Projection.REPLICA) {
              world.injector.delivered("Range", target, from, request);
            }
          });
    }

    private void released() {
      from.batchesInUse--;
      letGo();
    }

    private void letGo() {
      if (held != null) {
        held.released();
      }
    }

    @Override
    public void failed(Throwable cause) {
      answer(() -> fail(cause));
    }

    private void fail(Throwable cause) {
      letGo();
      handler.failed(cause);
    }

    private void answer(Runnable task) {
      if (isDead(way)) {
        breakLater(way);
        return;
      }
      deliver(
          way,
          back,
          from,
          () -> {
            if (!ended) {
              ended = true;
              task.run();
            }
          });
    }

    /** Looks now and then whether the connection still stands. */
    void failWhenBroken() {
      time.schedule(
          5 * SimulatedTime.MILLI,
          () -> {
            if (ended || !from.alive) {
              return;
            }
            if (generation == back.generation) {
              failWhenBroken();
            } else {
              ended = true;
              from.run(
                  () -> fail(new IllegalStateException("connection to " + target.id + " lost")));
            }
          });
    }
  }
}
