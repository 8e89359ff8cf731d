package dev.headrace.replication.lane;

import dev.headrace.replication.SimulatedClock;
import dev.headrace.replication.message.Operation;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Time, and a network that keeps the order on a connection, mostly: messages are delayed, doubled,
 * overtaken, and lost with their connection; operations are never doubled, as no transport does
 * that. Everything follows from the random numbers.
 */
final class SimulatedNetwork {
  private static final long MICROS = 1_000L;
  private static final long MILLIS = 1_000_000L;

  private final SplittableRandom random;
  private final boolean disorderly;
  private final SimulatedClock clock = new SimulatedClock(1_000 * MILLIS);
  private final Map<Link, Connection> connections = new HashMap<>();
  private final Map<NodeId, LaneNode> nodes = new HashMap<>();
  private final Map<NodeId, Long> pausedUntilNanos = new HashMap<>();
  private boolean healed;

  private record Link(NodeId from, NodeId to) {}

  /** One direction between two nodes. */
  private static final class Connection {
    long lastArrivalNanos;
    long downUntilNanos;
    long slowUntilNanos;
    long slowDelayNanos;
    int generation;
  }

  SimulatedNetwork(SplittableRandom random, boolean disorderly) {
    this.random = random;
    this.disorderly = disorderly;
  }

  long nowNanos() {
    return clock.nowNanos();
  }

  long nowMillis() {
    return nowNanos() / MILLIS;
  }

  void after(long delayNanos, Runnable action) {
    clock.after(delayNanos, action);
  }

  /** Carries out the next event; false if it lies behind the given time. */
  boolean step(long untilNanos) {
    return clock.step(untilNanos);
  }

  void add(LaneNode node) {
    nodes.put(node.id, node);
  }

  /** The node stops for good; some of what it has sent still arrives. */
  void crash(NodeId id) {
    nodes.remove(id);
    for (LaneNode other : nodes.values()) {
      cut(id, other.id, 0);
    }
  }

  /** No more losses and no more disorder. */
  void heal() {
    healed = true;
    pausedUntilNanos.clear();
    for (Connection connection : connections.values()) {
      connection.downUntilNanos = 0;
      connection.slowUntilNanos = 0;
    }
  }

  /** The node does nothing for a while; what comes to it waits. */
  void pause(NodeId id, long nanos) {
    pausedUntilNanos.merge(id, nowNanos() + nanos, Math::max);
  }

  /** How long the node still does nothing. */
  long pausedNanos(NodeId id) {
    return Math.max(0, pausedUntilNanos.getOrDefault(id, 0L) - nowNanos());
  }

  /** Both directions between two nodes are lost, and stay down for a while. */
  void cut(NodeId one, NodeId other, long downNanos) {
    for (Link link : new Link[] {new Link(one, other), new Link(other, one)}) {
      Connection connection = connection(link);
      connection.generation++;
      connection.lastArrivalNanos = nowNanos();
      connection.downUntilNanos = nowNanos() + downNanos;
      after(
          random.nextLong(5 * MILLIS),
          () -> {
            LaneNode node = nodes.get(link.from);
            if (node != null) {
              node.exchange.disconnected(link.to);
            }
          });
    }
  }

  /** One direction swallows everything for a while, and nobody is told. */
  void swallow(NodeId from, NodeId to, long nanos) {
    connection(new Link(from, to)).downUntilNanos = nowNanos() + nanos;
  }

  /** Everything that a node sends takes longer for a while. */
  void slow(NodeId from, long delayNanos, long nanos) {
    for (NodeId to : nodes.keySet()) {
      Connection connection = connection(new Link(from, to));
      connection.slowDelayNanos = delayNanos;
      connection.slowUntilNanos = nowNanos() + nanos;
    }
  }

  void send(NodeId from, NodeId to, Message message) {
    Connection connection = connection(new Link(from, to));
    if (!nodes.containsKey(from) || nowNanos() < connection.downUntilNanos) {
      return;
    }
    long delayNanos = 50 * MICROS + random.nextLong(random.nextInt(10) == 0 ? MILLIS * 20 : MILLIS);
    if (nowNanos() < connection.slowUntilNanos) {
      delayNanos += connection.slowDelayNanos;
    }
    boolean overtaken = disorderly && !healed && random.nextInt(30) == 0;
    if (overtaken) {
      deliver(from, to, message, connection, delayNanos + random.nextLong(300 * MILLIS));
      return;
    }
    long arrivalNanos = Math.max(connection.lastArrivalNanos, nowNanos() + delayNanos);
    connection.lastArrivalNanos = arrivalNanos;
    deliver(from, to, message, connection, arrivalNanos - nowNanos());
    boolean doubled = disorderly && !healed && random.nextInt(30) == 0;
    if (doubled && !(message instanceof Operation)) {
      long laterNanos = random.nextLong(300 * MILLIS);
      deliver(from, to, message, connection, arrivalNanos - nowNanos() + laterNanos);
    }
  }

  private void deliver(
      NodeId from, NodeId to, Message message, Connection connection, long delayNanos) {
    int generation = connection.generation;
    after(
        delayNanos,
        () -> {
          boolean lost = connection.generation != generation && random.nextInt(3) > 0;
          if (!lost) {
            arrive(from, to, message);
          }
        });
  }

  private void arrive(NodeId from, NodeId to, Message message) {
    LaneNode node = nodes.get(to);
    if (node == null) {
      return;
    }
    long pausedNanos = pausedNanos(to);
    if (pausedNanos > 0) {
      after(pausedNanos + random.nextLong(MILLIS), () -> arrive(from, to, message));
    } else {
      node.receive(from, message);
    }
  }

  private Connection connection(Link link) {
    return connections.computeIfAbsent(link, absent -> new Connection());
  }
}
