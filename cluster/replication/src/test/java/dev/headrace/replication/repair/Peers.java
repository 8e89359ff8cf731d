package dev.headrace.replication.repair;

import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.SimulatedClock;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Some nodes that all own every segment, and a network in one thread on which messages are delayed,
 * overtake each other, and are lost with their connection. Everything follows from the random
 * numbers.
 */
final class Peers {
  static final long MILLIS = 1_000_000L;
  private static final NodeId COORDINATOR = new NodeId(9, 9);
  private static final long TICK_NANOS = 5 * MILLIS;

  final List<RepairingNode> peers = new ArrayList<>();
  final List<Message> sent = new ArrayList<>();

  /** What is lost without anybody being told. */
  Predicate<Message> lost = message -> false;

  SegmentTable table;
  private final SplittableRandom random;
  private final boolean disorderly;
  private final SimulatedClock clock = new SimulatedClock(1_000 * MILLIS);
  private final Map<List<NodeId>, Link> links = new HashMap<>();
  private boolean healed;

  /** One direction between two nodes. */
  private static final class Link {
    long lastArrivalNanos;
    long downUntilNanos;
    int generation;
  }

  Peers(long seed, int nodes, int segments, boolean disorderly) {
    this(seed, nodes, segments, disorderly, 0);
  }

  Peers(long seed, int nodes, int segments, boolean disorderly, long intervalMillis) {
    this.random = new SplittableRandom(seed);
    this.disorderly = disorderly;
    List<Member> members = new ArrayList<>();
    int[][] rows = new int[segments][nodes];
    for (int i = 0; i < nodes; i++) {
      NodeId id = new NodeId(0, i + 1);
      members.add(new Member(id, "node" + i, "localhost", 1000 + i, "", 1));
      peers.add(
          new RepairingNode(
              id,
              intervalMillis,
              (to, message) -> send(id, to, message),
              () -> nowNanos() / MILLIS));
      for (int segment = 0; segment < segments; segment++) {
        rows[segment][i] = (segment + i) % nodes;
      }
    }
    TableHeader header =
        new TableHeader(Epoch.first(1, COORDINATOR), 0x15, 0, 7, segments, nodes, 1 << 20);
    SegmentTable unwritten = SegmentTable.of(header, members, rows);
    peers.forEach(peer -> peer.install(unwritten));
    table = unwritten;
    install(unwritten.written(next(), 0x5ea1));
    for (RepairingNode peer : peers) {
      after(random.nextLong(TICK_NANOS), () -> tick(peer));
    }
  }

  private void tick(RepairingNode peer) {
    peer.tick(nowNanos());
    after(TICK_NANOS, () -> tick(peer));
  }

  private long next() {
    return Epoch.next(table.epoch(), COORDINATOR);
  }

  // ---- Tables

  /** Everybody gets a newer table, each a little later than the other. */
  void install(SegmentTable newer) {
    table = newer;
    for (RepairingNode peer : peers) {
      after(random.nextLong(30 * MILLIS), () -> peer.install(newer));
    }
  }

  /** Every segment's primary becomes its last backup. */
  void rotate() {
    int[][] rows = new int[table.segments()][];
    for (int segment = 0; segment < rows.length; segment++) {
      List<NodeId> owners = table.owners(segment);
      rows[segment] = new int[owners.size()];
      for (int i = 0; i < owners.size(); i++) {
        NodeId owner = owners.get((i + 1) % owners.size());
        rows[segment][i] = table.members().indexOf(table.member(owner));
      }
    }
    install(SegmentTable.of(table.header().at(next()), table.members(), rows));
  }

  RepairingNode primary(int segment) {
    return peer(table.owner(segment, 0));
  }

  RepairingNode backup(int segment, int index) {
    return peer(table.owner(segment, index));
  }

  RepairingNode peer(NodeId id) {
    return peers.stream().filter(peer -> peer.id.equals(id)).findFirst().orElseThrow();
  }

  /** How many messages of a kind were sent. */
  long count(Class<? extends Message> kind) {
    return sent.stream().filter(kind::isInstance).count();
  }

  // ---- Time

  long nowNanos() {
    return clock.nowNanos();
  }

  void after(long delayNanos, Runnable action) {
    clock.after(delayNanos, action);
  }

  void run(long nanos) {
    long untilNanos = nowNanos() + nanos;
    while (clock.step(untilNanos)) {
      // until none is left
    }
  }

  // ---- The network

  /** No more losses and no more disorder. */
  void heal() {
    healed = true;
    links.values().forEach(link -> link.downUntilNanos = 0);
  }

  /** Both directions between two nodes are lost, and stay down for a while. */
  void cut(RepairingNode one, RepairingNode other, long downNanos) {
    cutOneWay(one.id, other.id, downNanos);
    cutOneWay(other.id, one.id, downNanos);
  }

  private void cutOneWay(NodeId from, NodeId to, long downNanos) {
    Link link = link(from, to);
    link.generation++;
    link.lastArrivalNanos = nowNanos();
    link.downUntilNanos = nowNanos() + downNanos;
    after(random.nextLong(5 * MILLIS), () -> peer(from).disconnected(to));
  }

  private Link link(NodeId from, NodeId to) {
    return links.computeIfAbsent(List.of(from, to), none -> new Link());
  }

  private void send(NodeId from, NodeId to, Message message) {
    Link link = link(from, to);
    if (nowNanos() < link.downUntilNanos) {
      return;
    }
    sent.add(message);
    if (lost.test(message)) {
      return;
    }
    long delayNanos = 50_000 + random.nextLong(random.nextInt(10) == 0 ? 10 * MILLIS : MILLIS);
    boolean overtaken = disorderly && !healed && random.nextInt(20) == 0;
    long arrivalNanos = nowNanos() + delayNanos + (overtaken ? random.nextLong(50 * MILLIS) : 0);
    if (!overtaken) {
      arrivalNanos = Math.max(arrivalNanos, link.lastArrivalNanos);
      link.lastArrivalNanos = arrivalNanos;
    }
    int generation = link.generation;
    after(
        arrivalNanos - nowNanos(),
        () -> {
          if (link.generation == generation) {
            peer(to).received(from, message);
          }
        });
  }
}
