package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Ledgers, a network that loses and delays, and a membership protocol whose views come late and
 * differ, all in one thread and from one seed.
 */
final class Simulation {

  private record Event(long atMillis, long order, Runnable task) {}

  final Random random;
  final List<SimulatedNode> nodes = new ArrayList<>();
  final SplitPolicy split;
  private final Map<NodeId, Integer> parts = new HashMap<>();
  private final Map<Long, SegmentTable> tablesByEpoch = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atMillis).thenComparing(Event::order));
  private long nowMillis;
  private long order;
  private long viewNumber;
  private int sentMessages;
  private double lossRate;
  private boolean falseViews;

  private Simulation(Random random, SplitPolicy split, boolean faults) {
    this.random = random;
    this.split = split;
    lossRate = faults ? random.nextInt(3) * 0.1 : 0;
    falseViews = faults;
  }

  /** Everything goes wrong that can. */
  static Simulation wild(long seed) {
    Random random = new Random(seed);
    SplitPolicy split = random.nextBoolean() ? SplitPolicy.DENY : SplitPolicy.ALLOW;
    return new Simulation(random, split, true);
  }

  /** Only what a test does goes wrong. */
  static Simulation calm(SplitPolicy split) {
    return new Simulation(new Random(1), split, false);
  }

  SimulatedNode start(Terms terms, double capacity) {
    int number = nodes.size();
    NodeId id = new NodeId(random.nextLong(), random.nextLong());
    Member member = new Member(id, "node-" + number, "localhost", 1, "", capacity);
    SimulatedNode node = new SimulatedNode(this, member, terms, split);
    nodes.add(node);
    parts.put(id, falseViews && random.nextInt(4) == 0 ? 1 : 0);
    tickFrom(node);
    showViews();
    return node;
  }

  SimulatedNode start(double capacity) {
    return start(new Terms("mill", 16, 2, OptionalLong.empty()), capacity);
  }

  void crash(SimulatedNode node) {
    node.crashed = true;
    showViews();
  }

  void leave(SimulatedNode node) {
    node.leaving = true;
    node.ledger.requestLeave();
  }

  /** Divides the nodes at random, or unites them. */
  void divide(int into) {
    nodes.forEach(node -> parts.put(node.id(), random.nextInt(into)));
    showViews();
  }

  /** Cuts some nodes off from the others. */
  void cutOff(SimulatedNode... some) {
    nodes.forEach(node -> parts.put(node.id(), List.of(some).contains(node) ? 1 : 0));
    showViews();
  }

  /** From now on the network and the membership protocol do what they should. */
  void heal() {
    lossRate = 0;
    falseViews = false;
    divide(1);
  }

  int sentMessages() {
    return sentMessages;
  }

  List<SimulatedNode> up() {
    return nodes.stream().filter(SimulatedNode::isUp).toList();
  }

  void run(long millis) {
    long end = nowMillis + millis;
    while (!events.isEmpty() && events.peek().atMillis <= end) {
      Event event = events.remove();
      nowMillis = event.atMillis;
      event.task.run();
    }
    nowMillis = end;
  }

  void send(SimulatedNode from, NodeId to, ControlMessage message) {
    sentMessages++;
    byte[] bytes = message.encode();
    if (random.nextDouble() < lossRate) {
      return;
    }
    after(
        delay(40),
        () -> {
          SimulatedNode target = node(to);
          boolean reachable = parts.get(from.id()).equals(parts.get(to));
          if (target.isUp() && reachable) {
            target.ledger.received(from.id(), ControlMessage.decode(ByteBuffer.wrap(bytes)));
          }
        });
  }

  void ended(SimulatedNode node) {
    after(delay(200), this::showViews);
  }

  /** Checks a table that a node puts in force, the first time against the one it was made from. */
  void installed(SimulatedNode node, SegmentTable before, SegmentTable next) {
    SegmentTable known = tablesByEpoch.putIfAbsent(next.epoch(), next);
    if (known != null) {
      assertThat(next).as("one table of one epoch").isEqualTo(known);
      return;
    }
    boolean owned = before != null && before.sealed();
    long holders = next.members().stream().filter(Member::holdsSegments).count();
    for (int segment = 0; segment < next.segments(); segment++) {
      if (owned) {
        List<NodeId> owners = before.owners(segment);
        assertThat(next.owners(segment))
            .as("owners that remain members stay, in their order, and none is added")
            .isEqualTo(owners.stream().filter(id -> next.member(id) != null).toList())
            .as("owners that are reachable and do not want to leave stay")
            .containsAll(owners.stream().filter(id -> mustStay(node, before, id)).toList());
      } else {
        assertThat(next.ownerCount(segment))
            .isEqualTo((int) Math.min(next.configuredOwners(), holders));
      }
    }
  }

  private boolean mustStay(SimulatedNode convener, SegmentTable before, NodeId owner) {
    SimulatedNode node = node(owner);
    boolean sameCourse =
        !node.table.sealed()
            || node.table.epoch() == before.epoch()
            || before.descendsFrom(node.table.epoch());
    return convener.view.members().contains(owner) && !node.leaving && sameCourse;
  }

  private void showViews() {
    Map<Integer, List<NodeId>> groups = new HashMap<>();
    for (SimulatedNode node : up()) {
      groups.computeIfAbsent(parts.get(node.id()), part -> new ArrayList<>()).add(node.id());
    }
    for (List<NodeId> group : groups.values()) {
      if (falseViews && random.nextInt(4) == 0) {
        Collections.shuffle(group, random);
      }
      MemberView view = new MemberView(random.nextLong(), group);
      long number = viewNumber++;
      for (NodeId id : group) {
        after(delay(100), () -> show(node(id), number, view));
        if (falseViews && random.nextInt(8) == 0) {
          showFalseView(id, group);
        }
      }
    }
  }

  /** A node that believes for a while that some of the others have gone. */
  private void showFalseView(NodeId id, List<NodeId> group) {
    List<NodeId> some = new ArrayList<>(group);
    some.removeIf(other -> !other.equals(id) && random.nextBoolean());
    MemberView view = new MemberView(random.nextLong(), some);
    long number = viewNumber++;
    for (NodeId each : random.nextBoolean() ? some : List.of(id)) {
      after(delay(100), () -> show(node(each), number, view));
    }
    after(300, this::showViews);
  }

  private void show(SimulatedNode node, long number, MemberView view) {
    if (node.isUp() && number > node.lastViewNumber) {
      node.lastViewNumber = number;
      node.view = view;
      node.ledger.viewChanged(view);
    }
  }

  private void tickFrom(SimulatedNode node) {
    after(
        50,
        () -> {
          if (node.isUp()) {
            node.ledger.tick(TimeUnit.MILLISECONDS.toNanos(nowMillis));
            tickFrom(node);
          }
        });
  }

  SimulatedNode node(NodeId id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
  }

  private long delay(int millis) {
    return 1L + random.nextInt(millis);
  }

  private void after(long millis, Runnable task) {
    events.add(new Event(nowMillis + millis, order++, task));
  }
}
