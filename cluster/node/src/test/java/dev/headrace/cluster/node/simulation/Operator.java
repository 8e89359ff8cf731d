package dev.headrace.cluster.node.simulation;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who gives segments up that wait for nodes: rightly, because these are dead, or too
 * early, while they come back.
 */
final class Operator {
  private static final long AFTERMATH_MILLIS = 4_000;
  private static final int MOST_LOOKS = 8_000;

  private final Population population;
  private final World world;
  private final SimulatedTime time;

  Operator(Population population) {
    this.population = population;
    this.world = population.world;
    this.time = world.time;
  }

  /** All nodes die that have some segments, which are given up, sooner or later. */
  void ownersDie() {
    List<SimulatedNode> some = mixed(population.sound());
    List<SimulatedNode> victims = some.subList(0, Math.min(some.size(), population.owners));
    Set<NodeId> ids = ids(victims);
    if (victims.isEmpty() || !world.dangers.canGoOnWithout(ids)) {
      return;
    }
    world.dangers.lose(ids);
    victims.forEach(world::crash);
    population.after(time.random.nextInt(2_000), population::join);
    lookNowAndThen(3);
  }

  /** All nodes are cut off that have some segments, and come back while these are given up. */
  void ownersComeBack() {
    List<SimulatedNode> some = population.onlyHolders();
    if (some.isEmpty() || !population.waitsForLostSegments()) {
      return;
    }
    Set<NodeId> ids = ids(some);
    world.trace(() -> "cut off all owners: " + some.stream().map(world::name).toList());
    world.letStreamsFail();
    world.dangers.lose(ids);
    world.dangers.endanger(ids);
    world.network.divide(some, true);
    world.views.separate(ids, true, 200, 1_500);
    long millis = 1_500L + time.random.nextInt(3_000);
    population.after(
        millis,
        () -> {
          world.network.divide(some, false);
          world.views.unite(100, 1_500);
          population.after(AFTERMATH_MILLIS, () -> relieve(ids));
        });
    if (time.onceIn(3)) {
      population.after(millis - 1_000 + time.random.nextInt(3_000), () -> look("too early"));
    } else {
      population.after(millis, () -> giveUpAtReturn(MOST_LOOKS));
    }
  }

  /** Somebody gives up what waits by his table, when it is back already and he does not know. */
  private void giveUpAtReturn(int looks) {
    SegmentTable newest = world.newestTable();
    if (newest != null && newest.waitingSegments().isEmpty()) {
      for (SimulatedNode node : world.ready()) {
        SegmentTable its = node.engine.table();
        if (its != null && !its.waitingSegments().isEmpty()) {
          node.run(() -> giveUp(node, new TreeSet<>(its.waitingSegments()), "at the return"));
          return;
        }
      }
    }
    if (looks > 0) {
      time.schedule(SimulatedTime.MILLI / 2, () -> giveUpAtReturn(looks - 1));
    }
  }

  private void relieve(Set<NodeId> ids) {
    if (world.views.settled() && world.agreesOn(ids)) {
      world.dangers.relieve(ids);
    } else {
      population.after(AFTERMATH_MILLIS, () -> relieve(ids));
    }
  }

  private void lookNowAndThen(int times) {
    for (int i = 0; i < times; i++) {
      population.after(500 + time.random.nextInt(4_000), () -> look("rightly"));
    }
  }

  /** Gives up on some node what waits by its table. */
  private void look(String how) {
    SimulatedNode node = world.anyReady();
    if (node != null) {
      node.run(
          () -> {
            SegmentTable table = node.engine.table();
            if (table != null) {
              giveUp(node, new TreeSet<>(table.lostSegments()), how);
            }
          });
    }
  }

  /** In the end: what waits for nodes that are dead, and what its owners say is lost. */
  void giveUpDead(boolean lostAsWell) {
    SimulatedNode node = world.anyReady();
    SegmentTable table = world.newestTable();
    if (node == null || table == null || !population.waitsForLostSegments()) {
      return;
    }
    Set<Integer> dead =
        table.waitingSegments().stream()
            .filter(segment -> table.awaited(segment).stream().noneMatch(this::lives))
            .collect(Collectors.toCollection(TreeSet::new));
    if (lostAsWell) {
      BitSet lost = world.dangers.unreachable();
      lost.stream().filter(segment -> !table.isWaiting(segment)).forEach(dead::add);
    }
    node.run(() -> giveUp(node, dead, "in the end"));
  }

  private boolean lives(Member member) {
    SimulatedNode node = world.nodes.get(member.id());
    return node != null && node.alive;
  }

  private void giveUp(SimulatedNode node, Set<Integer> segments, String how) {
    if (segments.isEmpty()) {
      return;
    }
    world.trace(() -> "give up " + segments + " " + how + " on " + world.name(node));
    world.dangers.givenUp(segments);
    node.engine
        .giveUp(segments)
        .whenComplete((begun, error) -> ended(node, segments, begun, error));
  }

  private void ended(
      SimulatedNode node,
      Set<Integer> asked,
      @Nullable Set<Integer> begun,
      @Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (begun == null) {
      if (!(cause instanceof NodeClosedException)) {
        world.fail(new AssertionError("giving up failed", cause));
      }
      return;
    }
    SegmentTable table = node.engine.table();
    if (!asked.containsAll(begun)
        || (table != null && begun.stream().anyMatch(s -> table.incarnation(s) == 0))) {
      world.fail(new AssertionError("of " + asked + " these are said to begin anew: " + begun));
    }
    world.count(begun.isEmpty() ? Fault.GIVEN_UP_IN_VAIN : Fault.GIVEN_UP);
  }

  private List<SimulatedNode> mixed(List<SimulatedNode> nodes) {
    List<SimulatedNode> mixed = new ArrayList<>(nodes);
    Collections.shuffle(mixed, time.random);
    return mixed;
  }

  private static Set<NodeId> ids(List<SimulatedNode> nodes) {
    return nodes.stream().map(node -> node.id).collect(Collectors.toSet());
  }
}
