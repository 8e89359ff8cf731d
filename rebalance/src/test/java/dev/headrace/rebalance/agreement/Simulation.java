package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Agreements, a network that loses, doubles, delays and works one way, a membership protocol whose
 * views come late and differ, and nodes that pause and crash, all in one thread and from one seed.
 */
final class Simulation {

  private record Event(long atNanos, long order, Runnable task) {}

  /** A message that was sent. */
  record Sent(AgreementNode from, NodeId to, ControlMessage message, int bytes) {}

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int TICK_MILLIS = 20;

  final Random random;
  final List<AgreementNode> nodes = new ArrayList<>();
  final SplitPolicy split;
  final boolean movesSegments;
  final Invariants invariants = new Invariants(this);
  final List<Sent> sent = new ArrayList<>();
  boolean records;
  Placement placement = new WeightedRendezvous();
  boolean showsViews = true;

  /** What becomes of segments whose owners are out of reach. */
  LostSegments lost = LostSegments.WAIT;

  /** Changes messages on their way; null drops one. */
  BiFunction<AgreementNode, Sent, ControlMessage> tampering = (to, message) -> message.message();

  /** Pairs of nodes that do not reach each other by the way that operations take. */
  final Set<Set<NodeId>> brokenPairs = new HashSet<>();

  /** Processes of something else, which are in every view and say nothing. */
  final List<NodeId> foreigners = new ArrayList<>();

  private final Map<NodeId, AgreementNode> byId = new HashMap<>();
  private final Map<NodeId, Integer> parts = new HashMap<>();
  private final Set<List<NodeId>> deadLinks = new HashSet<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparing(Event::order));
  private long nowNanos;
  private long order;
  private long viewNumber;
  private double lossRate;
  private double doubleRate;
  private double deathRate;
  private int slowMillis = 40;
  private boolean falseViews;

  /** Whether nodes' clocks run at different rates. */
  final boolean clocksDrift;

  /** What nodes tell each other, or null if they do not. */
  private Random talk;

  /** What nodes have told each other; delivered only where they talk. */
  final List<TableNotice> notices = new ArrayList<>();

  /** How many nodes are of an older release than the others; 0 if all are of the same. */
  private int older;

  /** Notices that were taken. */
  int learned;

  private Simulation(Random random, SplitPolicy split, boolean movesSegments, boolean faults) {
    this.random = random;
    this.split = split;
    this.movesSegments = movesSegments;
    falseViews = faults;
    clocksDrift = faults;
    if (faults) {
      lossRate = random.nextInt(3) * 0.1;
      doubleRate = random.nextInt(3) * 0.05;
      deathRate = random.nextInt(3) * 0.004;
      slowMillis = random.nextInt(4) == 0 ? 400 : 40;
      lost =
          random.nextInt(4) == 0
              ? LostSegments.recreateAfter(Duration.ofSeconds(random.nextInt(3)))
              : lost;
    }
  }

  /** Everything goes wrong that can. */
  static Simulation wild(long seed) {
    Random random = new Random(seed);
    SplitPolicy split = random.nextInt(4) > 0 ? SplitPolicy.DENY : SplitPolicy.ALLOW;
    Simulation simulation = new Simulation(random, split, random.nextBoolean(), true);
    simulation.older = Math.max(0, new Random(-seed).nextInt(9) - 4);
    return simulation;
  }

  /** As {@link #wild}, where nodes tell each other of tables, even across a split. */
  static Simulation talkative(long seed) {
    Simulation simulation = wild(seed);
    simulation.talk = new Random(~seed);
    return simulation;
  }

  /** Only what a test does goes wrong. */
  static Simulation calm(SplitPolicy split) {
    return new Simulation(new Random(1), split, false, false);
  }

  /** As {@link #calm}, where somebody moves the segments of nodes that want to leave. */
  static Simulation moving() {
    return new Simulation(new Random(1), SplitPolicy.DENY, true, false);
  }

  long nowNanos() {
    return nowNanos;
  }

  AgreementNode start(ClusterTerms terms, double capacity) {
    int number = nodes.size();
    NodeId id = new NodeId(random.nextLong(), random.nextLong());
    Member member =
        new Member(id, "node-" + number, "localhost", 1, "", capacity, versions(number));
    AgreementNode node = new AgreementNode(this, member, terms, split);
    nodes.add(node);
    byId.put(id, node);
    parts.put(id, falseViews && random.nextInt(4) == 0 ? 1 : 0);
    tickFrom(node);
    showViews();
    return node;
  }

  /** In some lives the first nodes are of one release, and the others of the next one. */
  private ProtocolVersions versions(int number) {
    int newest = ProtocolVersions.OWN.newest();
    return number < older
        ? ProtocolVersions.OWN
        : new ProtocolVersions(newest, older == 0 ? newest : newest + 1);
  }

  AgreementNode start(double capacity) {
    return start(new ClusterTerms("mill", 16, 2, 100, OptionalLong.empty()), capacity);
  }

  // ---- Faults

  void crash(AgreementNode node) {
    node.crashed = true;
    showViews();
  }

  void leave(AgreementNode node) {
    node.leaving = true;
    node.wishToLeave();
  }

  /** Nothing happens on a node for a while; long ones are noticed by the others. */
  void pause(AgreementNode node, int millis) {
    node.pausedUntilNanos = nowNanos + millis * MILLI;
    if (millis > 1000) {
      int part = parts.get(node.id());
      int alone = 100 + nodes.indexOf(node);
      parts.put(node.id(), alone);
      after(300 * MILLI, this::showViews);
      after(
          (millis + 100) * MILLI,
          () -> {
            parts.replace(node.id(), alone, part);
            showViews();
          });
    }
  }

  /** Nothing happens on a node for a while, and nobody notices. */
  void hang(AgreementNode node, long millis) {
    node.pausedUntilNanos = nowNanos + millis * MILLI;
  }

  /** Messages from one node to another get lost, those of the other direction do not. */
  void cutLink(NodeId from, NodeId to) {
    deadLinks.add(List.of(from, to));
  }

  void restoreLinks() {
    deadLinks.clear();
  }

  /** Divides the nodes at random, or unites them. */
  void divide(int into) {
    nodes.forEach(node -> parts.put(node.id(), random.nextInt(into)));
    showViews();
  }

  /** Cuts some nodes off from the others. */
  void cutOff(AgreementNode... some) {
    nodes.forEach(node -> parts.put(node.id(), List.of(some).contains(node) ? 1 : 0));
    showViews();
  }

  /** From now on the network and the membership protocol do what they should. */
  void heal() {
    lossRate = 0;
    doubleRate = 0;
    deathRate = 0;
    slowMillis = 40;
    falseViews = false;
    deadLinks.clear();
    brokenPairs.clear();
    foreigners.clear();
    divide(1);
  }

  /** Something else comes into every view, or goes. */
  void foreigner() {
    if (foreigners.isEmpty()) {
      foreigners.add(new NodeId(random.nextLong(), random.nextLong()));
    } else {
      foreigners.clear();
    }
    showViews();
  }

  // ---- What a coordinator does

  /** Proposes to give a segment other owners, those of leaving nodes first. */
  boolean proposeAnything() {
    long seed = random.nextLong();
    OwnerChange change = new OwnerChange(seed, id -> byId.get(id).leaving);
    return coordinating() != null
        && coordinating()
            .agreement
            .propose(
                (newest, epoch) -> {
                  TableDelta delta = change.on(newest, epoch);
                  invariants.changed(newest, epoch, delta);
                  return delta;
                },
                coordinatorNanos());
  }

  AgreementNode coordinating() {
    return up().stream().filter(node -> node.coordinates).findFirst().orElse(null);
  }

  private long coordinatorNanos() {
    return coordinating().nowNanos();
  }

  // ---- What happens

  List<AgreementNode> up() {
    return nodes.stream().filter(AgreementNode::isUp).toList();
  }

  AgreementNode node(NodeId id) {
    return byId.get(id);
  }

  void run(long millis) {
    long end = nowNanos + millis * MILLI;
    while (!events.isEmpty() && events.peek().atNanos <= end) {
      Event event = events.remove();
      nowNanos = event.atNanos;
      event.task.run();
    }
    nowNanos = end;
  }

  void send(AgreementNode from, NodeId to, ControlMessage message) {
    if (from.crashed) {
      return;
    }
    byte[] bytes = message.encode(from.agreement.protocolWith(to));
    Sent one = new Sent(from, to, message, bytes.length);
    if (records) {
      sent.add(one);
    }
    int copies = random.nextDouble() < doubleRate ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (random.nextDouble() >= lossRate) {
        deliver(one, bytes);
      }
    }
    if (message instanceof Append append) {
      invariants.sent(append);
      if (random.nextDouble() < deathRate) {
        crash(from); // in the middle of telling the others
      }
    }
  }

  /** Null if the message is of a version that the node does not know: it is dropped. */
  private static @Nullable ControlMessage read(AgreementNode node, byte[] bytes) {
    ProtocolVersions known = node.member.versions();
    try {
      return ControlMessage.decode(ByteBuffer.wrap(bytes), known);
    } catch (WireException e) {
      assertThat(known.contains(bytes[0])).as("%s is damaged", e).isFalse();
      return null;
    }
  }

  private void deliver(Sent one, byte[] bytes) {
    int millis = random.nextInt(20) == 0 ? slowMillis : Math.min(slowMillis, 40);
    AgreementNode target = node(one.to());
    if (target == null) {
      return; // a foreigner, who does not understand it
    }
    on(
        target,
        delay(millis),
        () -> {
          boolean reachable =
              parts.get(one.from().id()).equals(parts.get(one.to()))
                  && !deadLinks.contains(List.of(one.from().id(), one.to()));
          ControlMessage arrived = read(target, bytes);
          ControlMessage message =
              reachable && arrived != null
                  ? tampering.apply(target, new Sent(one.from(), one.to(), arrived, bytes.length))
                  : null;
          if (message != null) {
            target.agreement.received(one.from().id(), message, target.nowNanos());
          }
        });
  }

  void ended() {
    after(delay(200), this::showViews);
  }

  private void showViews() {
    if (!showsViews) {
      return;
    }
    Map<Integer, List<NodeId>> groups = new HashMap<>();
    for (AgreementNode node : up()) {
      groups.computeIfAbsent(parts.get(node.id()), part -> new ArrayList<>()).add(node.id());
    }
    for (List<NodeId> group : groups.values()) {
      if (falseViews && random.nextInt(4) == 0) {
        Collections.shuffle(group, random);
      }
      List<NodeId> all = new ArrayList<>(foreigners);
      all.addAll(group);
      MemberView view = new MemberView(random.nextLong(), all);
      long number = viewNumber++;
      for (NodeId id : group) {
        on(node(id), delay(100), () -> show(node(id), number, view));
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
      on(node(each), delay(100), () -> show(node(each), number, view));
    }
    after(300 * MILLI, this::showViews);
  }

  private void show(AgreementNode node, long number, MemberView view) {
    if (number > node.lastViewNumber) {
      node.lastViewNumber = number;
      node.agreement.viewChanged(view, node.nowNanos());
    }
  }

  private void tickFrom(AgreementNode node) {
    on(
        node,
        TICK_MILLIS * MILLI,
        () -> {
          node.agreement.tick(node.nowNanos());
          node.wishToLeave();
          tellUnreachable(node);
          node.gossip.tick(node.nowNanos());
          talk(node);
          tickFrom(node);
        });
  }

  /** Where a pair is broken, both say so. */
  private void tellUnreachable(AgreementNode node) {
    List<NodeId> unreachable = new ArrayList<>();
    for (Set<NodeId> pair : brokenPairs) {
      if (pair.contains(node.id())) {
        pair.stream().filter(id -> !id.equals(node.id())).forEach(unreachable::add);
      }
    }
    if (!unreachable.isEmpty() || !brokenPairs.isEmpty()) {
      node.agreement.unreachable(unreachable, node.nowNanos());
    }
  }

  private void talk(AgreementNode node) {
    if (talk == null || talk.nextInt(4) > 0) {
      return;
    }
    AgreementNode other = nodes.get(talk.nextInt(nodes.size()));
    if (other == node || other.table == null) {
      return;
    }
    switch (talk.nextInt(3)) {
      case 0 -> node.gossip.accompany(other.id());
      case 1 -> node.gossip.behind(other.id());
      default -> node.gossip.outdated(other.id(), other.table.epoch());
    }
  }

  /** A notice on a connection that knows nothing of views. */
  void tell(AgreementNode from, NodeId to, TableNotice notice) {
    notices.add(notice);
    if (from.crashed || talk == null || talk.nextInt(10) == 0) {
      return;
    }
    AgreementNode target = node(to);
    on(
        target,
        MILLI / 10 + talk.nextInt(50 * (int) MILLI),
        () -> {
          long before = target.table == null ? -1 : target.table.epoch();
          target.noticed(from.id(), notice);
          learned += target.table != null && target.table.epoch() > before ? 1 : 0;
        });
  }

  /** Between one and some milliseconds, to the nanosecond. */
  private long delay(int millis) {
    return MILLI + (long) (random.nextDouble() * millis * MILLI);
  }

  /** Lets something happen on a node, unless it is down by then; later if it pauses. */
  private void on(AgreementNode node, long delayNanos, Runnable task) {
    events.add(new Event(nowNanos + delayNanos, order++, () -> happen(node, task)));
  }

  private void happen(AgreementNode node, Runnable task) {
    if (node.isUp() && nowNanos < node.pausedUntilNanos) {
      events.add(new Event(node.pausedUntilNanos, order++, () -> happen(node, task)));
    } else if (node.isUp()) {
      task.run();
    }
  }

  private void after(long delayNanos, Runnable task) {
    events.add(new Event(nowNanos + delayNanos, order++, task));
  }
}
