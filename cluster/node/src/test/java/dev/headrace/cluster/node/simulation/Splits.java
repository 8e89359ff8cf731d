package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.node.simulation.oracle.Workload;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Nodes that are there, but cannot be reached, or do not answer, or answer late. */
final class Splits {
  /** So long after it is over a split may still have consequences. */
  private static final long AFTERMATH_MILLIS = 4_000;

  private final Population population;
  private final World world;
  private final SimulatedTime time;
  private final Workload workload;

  Splits(Population population, Workload workload) {
    this.population = population;
    this.world = population.world;
    this.time = world.time;
    this.workload = workload;
  }

  /** A few nodes are cut off from the others, which may give them up. */
  void minority() {
    List<SimulatedNode> data = shuffled(population.sound());
    for (int size = Math.max(1, (data.size() - 1) / 2); size >= 1; size--) {
      Set<SimulatedNode> few = new LinkedHashSet<>(data.subList(0, Math.min(size, data.size())));
      if (world.dangers.canSpare(ids(few))) {
        world.count(Fault.MINORITY_CUT_OFF);
        split(few);
        return;
      }
    }
  }

  /** Half of the nodes are cut off from the half with the oldest. */
  void even() {
    List<SimulatedNode> data = population.sound();
    if (data.size() < 2 || data.size() % 2 != 0) {
      return;
    }
    List<SimulatedNode> younger = shuffled(data.subList(1, data.size()));
    Set<SimulatedNode> half = new LinkedHashSet<>(younger.subList(0, data.size() / 2));
    if (world.dangers.canSpare(ids(half))) {
      world.count(Fault.EVEN_SPLIT);
      split(half);
    }
  }

  /** Nodes that hold nothing are on either side. */
  private void split(Set<SimulatedNode> holders) {
    Set<SimulatedNode> some = new LinkedHashSet<>(holders);
    population.clients().stream().filter(client -> time.onceIn(2)).forEach(some::add);
    List<SimulatedNode> others = new ArrayList<>(world.living());
    others.removeAll(some);
    Set<NodeId> ids = ids(some);
    world.trace(() -> "cut off " + some.stream().map(world::name).toList());
    world.letStreamsFail();
    world.dangers.endanger(ids);
    setLinks(some, others, true);
    long millis = 100L + time.random.nextInt(time.random.nextBoolean() ? 800 : 6_000);
    world.views.separate(ids, true, 200, 2_500);
    int before = workload.calls().acknowledged();
    for (int i = 0; i < 6; i++) {
      time.within(
          millis,
          () -> {
            SimulatedNode node = population.any(List.copyOf(some));
            if (node.ready()) {
              node.run(() -> workload.put(node, "busy-" + time.random.nextInt(20)));
            }
          });
    }
    population.after(
        millis,
        () -> {
          setLinks(some, others, false);
          world.views.unite(100, 1_500);
          if (workload.calls().acknowledged() > before) {
            world.count(Fault.MERGED_AFTER_MINORITY_WROTE);
          }
          population.after(AFTERMATH_MILLIS, () -> relieve(ids));
        });
  }

  /** A node stays in danger until the others and it agree about it again. */
  private void relieve(Set<NodeId> ids) {
    if (world.views.settled() && world.agreesOn(ids)) {
      world.dangers.relieve(ids);
    } else {
      population.after(AFTERMATH_MILLIS, () -> relieve(ids));
    }
  }

  private void setLinks(
      Collection<SimulatedNode> some, Collection<SimulatedNode> others, boolean dead) {
    for (SimulatedNode one : some) {
      for (SimulatedNode other : others) {
        if (dead) {
          world.network.cut(one.id, other.id);
          world.network.cut(other.id, one.id);
        } else {
          world.network.heal(one.id, other.id);
          world.network.heal(other.id, one.id);
        }
      }
    }
  }

  /** One node hears another, but not the other way; the others give up one of the two. */
  void oneWay() {
    List<SimulatedNode> data = shuffled(population.sound());
    if (data.size() < 3) {
      return;
    }
    SimulatedNode from = data.get(0);
    SimulatedNode to = data.get(1);
    Set<NodeId> suspect = Set.of(time.random.nextBoolean() ? from.id : to.id);
    if (!world.dangers.canSpare(suspect)) {
      return;
    }
    world.count(Fault.ONE_WAY_LINK);
    world.letStreamsFail();
    world.dangers.endanger(suspect);
    world.network.cut(from.id, to.id);
    world.views.separate(suspect, time.random.nextBoolean(), 200, 2_500);
    population.after(
        200 + time.random.nextInt(5_000),
        () -> {
          world.network.heal(from.id, to.id);
          world.views.unite(100, 1_500);
          population.after(AFTERMATH_MILLIS, () -> relieve(suspect));
        });
  }

  /** Two nodes do not reach each other, but everybody else; one of them may be set aside. */
  void cutBetweenTwo() {
    List<SimulatedNode> data = shuffled(population.sound());
    if (data.size() < 3) {
      return;
    }
    SimulatedNode one = data.get(0);
    SimulatedNode other = data.get(1);
    Set<NodeId> ids = Set.of(one.id, other.id);
    if (!world.dangers.canSpare(Set.of(one.id)) || !world.dangers.canSpare(Set.of(other.id))) {
      return;
    }
    world.count(Fault.PAIR_CUT);
    world.letStreamsFail();
    world.dangers.endanger(ids);
    world.cutBetween(one, other);
    population.after(
        200 + time.random.nextInt(time.random.nextBoolean() ? 3_000 : 9_000),
        () -> {
          if (world.anySetAside(ids)) {
            world.count(Fault.SET_ASIDE);
          }
          world.network.healBetween(one, other);
          population.after(AFTERMATH_MILLIS, () -> relieve(ids));
        });
  }

  /** A node stands still, longer than the others wait for it; then it goes on where it was. */
  void pause() {
    for (SimulatedNode node : shuffled(population.sound())) {
      if (world.dangers.canSpare(Set.of(node.id))) {
        pause(node);
        return;
      }
    }
  }

  private void pause(SimulatedNode node) {
    Set<NodeId> ids = Set.of(node.id);
    boolean long30 = time.onceIn(4);
    long millis = long30 ? 30_000 : 500 + time.random.nextInt(7_000);
    world.trace(() -> "pause " + world.name(node) + " for " + millis + " ms");
    world.count(Fault.PAUSED);
    world.letStreamsFail();
    world.dangers.endanger(ids);
    node.pause(millis);
    if (millis > 1_000) {
      world.views.separate(ids, false, 500, Math.min(millis, 9_000));
    }
    // The first thing that happens there is that somebody asks it, before it hears of anything.
    population.after(millis, () -> askAfterwards(node));
    population.after(
        millis,
        () -> {
          world.views.unite(100, 1_500);
          population.after(AFTERMATH_MILLIS, () -> relieve(ids));
        });
    if (long30) {
      population.after(4_000, () -> world.coarse = true);
      population.after(millis - 500, () -> world.coarse = false);
    }
  }

  private void askAfterwards(SimulatedNode node) {
    if (node.ready()) {
      boolean excluded = world.living().stream().noneMatch(other -> knows(other, node));
      for (int i = 0; i < 20; i++) {
        workload.peek(node, "busy-" + i);
      }
      if (excluded) {
        world.count(Fault.ASKED_AFTER_EXCLUSION);
      }
    }
  }

  private static boolean knows(SimulatedNode other, SimulatedNode node) {
    var table = other.engine.table();
    return other != node && table != null && table.member(node.id) != null;
  }

  /**
   * A node that holds nothing counts on, is cut off, perhaps given up, and back before its
   * operations are over.
   */
  void clientComesBack() {
    SimulatedNode client = clientOrNull(this::clientComesBack);
    if (client == null) {
      return;
    }
    Set<NodeId> ids = Set.of(client.id);
    for (int i = 0; i < 8; i++) {
      time.within(40, () -> client.run(() -> count(client)));
    }
    long millis = 200L + time.random.nextInt(2_500);
    population.after(
        time.random.nextInt(40),
        () -> {
          world.letStreamsFail();
          world.dangers.endanger(ids);
          boolean bothWays = time.random.nextBoolean();
          for (SimulatedNode other : world.living()) {
            world.network.cut(other.id, client.id);
            if (bothWays) {
              world.network.cut(client.id, other.id);
            }
          }
          world.views.separate(ids, time.random.nextBoolean(), 50, 500);
        });
    population.after(
        millis,
        () -> {
          if (world.living().stream().noneMatch(other -> knows(other, client))) {
            world.count(Fault.CLIENT_CAME_BACK);
          }
          world.network.isolate(client, false);
          world.views.unite(20, 300);
          population.after(AFTERMATH_MILLIS, () -> relieve(ids));
        });
  }

  private void count(SimulatedNode client) {
    if (client.ready()) {
      workload.increment(client, "busy-" + time.random.nextInt(20));
    }
  }

  /** A node that holds nothing stands still, and may be given up. */
  void clientPause() {
    SimulatedNode client = clientOrNull(this::clientPause);
    if (client != null) {
      world.count(Fault.CLIENT_PAUSED);
      for (int i = 0; i < 8; i++) {
        time.within(40, () -> client.run(() -> count(client)));
      }
      population.after(time.random.nextInt(40), () -> pause(client));
    }
  }

  /** One of them; null if there is none yet, and then it is tried again with one. */
  private @Nullable SimulatedNode clientOrNull(Runnable again) {
    if (population.clients().isEmpty()) {
      if (world.living().stream().allMatch(SimulatedNode::holdsSegments)) {
        population.joinClient();
        population.after(500, again);
      }
      return null;
    }
    return population.any(population.clients());
  }

  /** One link is slow for the rest of the run. */
  void slowLink() {
    List<SimulatedNode> nodes = shuffled(world.ready());
    if (nodes.size() > 1) {
      world.count(Fault.SLOW_LINK);
      world.network.slow(nodes.get(0).id, nodes.get(1).id, 5_000 + time.random.nextInt(150_000));
    }
  }

  /** One node is slow for the rest of the run. */
  void slowNode() {
    List<SimulatedNode> nodes = world.ready();
    if (!nodes.isEmpty()) {
      world.count(Fault.SLOW_NODE);
      population.any(nodes).eventNanos = 50_000L + time.random.nextInt(1_500_000);
    }
  }

  /** Connections break, and what was under way on them is lost. */
  void cutConnections() {
    for (int i = 0; i < 3; i++) {
      time.within(
          1_500,
          () -> {
            List<SimulatedNode> nodes = shuffled(world.living());
            if (nodes.size() > 1) {
              world.network.drop(nodes.get(0), nodes.get(1));
            }
          });
    }
  }

  /** Messages do what they should not. */
  void badWire() {
    Network network = world.network;
    int onceIn = 10 + time.random.nextInt(90);
    switch (time.random.nextInt(5)) {
      case 0 -> network.lostOnceIn = onceIn;
      case 1 -> network.doubledOnceIn = onceIn;
      case 2 -> network.overtakenOnceIn = onceIn;
      case 3 -> network.lateOnceIn = 2 * onceIn;
      default -> {
        network.lostOnceIn = 2 * onceIn;
        network.doubledOnceIn = 2 * onceIn;
        network.overtakenOnceIn = onceIn;
        network.lateOnceIn = 4 * onceIn;
      }
    }
  }

  private List<SimulatedNode> shuffled(List<SimulatedNode> nodes) {
    List<SimulatedNode> mixed = new ArrayList<>(nodes);
    Collections.shuffle(mixed, time.random);
    return mixed;
  }

  private static Set<NodeId> ids(Set<SimulatedNode> nodes) {
    return nodes.stream().map(node -> node.id).collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
