package dev.headrace.cluster.node.simulation;

import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Faults that come alone, and long enough for a cluster to have dealt with them: each says after
 * what time everything has to go on beside it.
 */
final class SingleFaults {
  /** How long a fault lasts. */
  static final long LASTS_MILLIS = 12_000;

  /** How late a view tells of a node that is cut off, at most. */
  private static final long CUT_DETECTED_MILLIS = 2_500;

  /** How late a view tells of a process that has ended, at most. */
  private static final long CRASH_DETECTED_MILLIS = 900;

  /** A view is under way, the leases of excluded nodes run out, and whoever waited asks again. */
  private static final long SETTLED_MILLIS = 3_500;

  /** After the end of a cut everybody is back, with all that was out of reach. */
  private static final long FOUND_AGAIN_MILLIS = 15_000;

  private static final long PAUSE_DETECTED_MILLIS = 9_000;

  /** How late one of two that do not reach each other is set aside, at most. */
  private static final long SET_ASIDE_MILLIS = 4_000;

  /** Then leases of the node that goes run out. */
  private static final long LEASES_MILLIS = 2_000;

  private final Population population;
  private final World world;
  private final SimulatedTime time;
  private final Liveness liveness;

  SingleFaults(Population population, Liveness liveness) {
    this.population = population;
    this.world = population.world;
    this.time = world.time;
    this.liveness = liveness;
  }

  /**
   * One of them comes to each life. What not every cluster can have without breaking a promise
   * comes more often to those that can.
   *
   * @param number of this life among those with a single fault
   */
  void draw(long number) {
    List<Runnable> all =
        new ArrayList<>(
            List.of(
                this::crash,
                this::crashOfCoordinator,
                this::cutOff,
                this::cutOffCoordinator,
                this::pause,
                this::clientHangsDuringJoin,
                this::clientHangsDuringCrash,
                this::clientCutOff,
                this::strangerNeverGreets,
                this::leave,
                this::flapping,
                this::cutOffAllOwners,
                this::cutBetweenTwo));
    if (population.owners == 1) {
      all.addAll(Collections.nCopies(5, this::cutBetweenTwo)); // neither can be set aside
    } else {
      all.addAll(Collections.nCopies(2, this::cutBetweenTwo)); // one of them is
      all.addAll(Collections.nCopies(5, this::cutOffAllOwners));
    }
    int index = (int) Math.floorMod(number, (long) all.size());
    population.after(300, all.get(index));
  }

  /**
   * Some nodes are cut off that have all copies of some segments. Nobody else has their content: it
   * is unavailable until they are back, and then it is there.
   */
  private void cutOffAllOwners() {
    List<SimulatedNode> some = population.onlyHolders();
    if (some.isEmpty()) {
      return;
    }
    Set<NodeId> ids = some.stream().map(node -> node.id).collect(Collectors.toSet());
    BitSet unreachable = world.dangers.unreachableWithout(ids);
    world.count(Fault.ALL_OWNERS_CUT_OFF);
    world.trace(() -> "cut off " + some.stream().map(world::name).toList() + " " + unreachable);
    liveness.exempt(Set.copyOf(some));
    liveness.demandOnly(segment -> !unreachable.get(segment));
    liveness.disturbed("a cut", CUT_DETECTED_MILLIS + SETTLED_MILLIS);
    world.letStreamsFail();
    world.dangers.endanger(ids);
    world.network.divide(some, true);
    world.views.separate(ids, true, 200, CUT_DETECTED_MILLIS);
    liveness.lastFor(LASTS_MILLIS + FOUND_AGAIN_MILLIS + 4_000);
    population.after(
        LASTS_MILLIS,
        () -> {
          liveness.demandAll("the end of a cut", FOUND_AGAIN_MILLIS);
          world.network.divide(some, false);
          world.views.unite(100, 1_500);
          population.after(FOUND_AGAIN_MILLIS, () -> world.dangers.relieve(ids));
        });
  }

  private void crash() {
    crash(shuffled(population.sound()));
  }

  private void crashOfCoordinator() {
    SimulatedNode coordinator = world.coordinator();
    crash(coordinator == null ? List.of() : List.of(coordinator));
  }

  private void crash(List<SimulatedNode> candidates) {
    for (SimulatedNode node : candidates) {
      if (node.holdsSegments() && world.dangers.canSpare(Set.of(node.id))) {
        liveness.disturbed("a crash", CRASH_DETECTED_MILLIS + SETTLED_MILLIS);
        world.crash(node);
        population.after(6_000, population::join);
        world.count(Fault.CRASHED_ALONE);
        return;
      }
    }
  }

  /** A node is cut off by links that drop everything. */
  private void cutOff() {
    cutOff(shuffled(population.sound()));
  }

  private void cutOffCoordinator() {
    SimulatedNode coordinator = world.coordinator();
    cutOff(coordinator == null ? List.of() : List.of(coordinator));
  }

  private void cutOff(List<SimulatedNode> candidates) {
    for (SimulatedNode node : candidates) {
      if (node.holdsSegments() && world.dangers.canSpare(Set.of(node.id))) {
        world.count(Fault.CUT_OFF_ALONE);
        cutOff(node, CUT_DETECTED_MILLIS + SETTLED_MILLIS);
        return;
      }
    }
  }

  private void cutOff(SimulatedNode node, long budgetMillis) {
    Set<NodeId> ids = Set.of(node.id);
    liveness.exempt(Set.of(node));
    liveness.disturbed(world.name(node) + " was cut off", budgetMillis);
    world.letStreamsFail();
    world.dangers.endanger(ids);
    world.network.isolate(node, true);
    world.views.separate(ids, true, 200, CUT_DETECTED_MILLIS);
    population.after(
        LASTS_MILLIS,
        () -> {
          liveness.disturbed(world.name(node) + " was found again", SETTLED_MILLIS);
          world.network.isolate(node, false);
          world.views.unite(100, 1_500);
          population.after(4_000, () -> world.dangers.relieve(ids));
        });
  }

  private void pause() {
    for (SimulatedNode node : shuffled(population.sound())) {
      if (world.dangers.canSpare(Set.of(node.id))) {
        Set<NodeId> ids = Set.of(node.id);
        world.count(Fault.PAUSED_ALONE);
        liveness.exempt(Set.of(node));
        liveness.disturbed("a pause", PAUSE_DETECTED_MILLIS + SETTLED_MILLIS);
        world.letStreamsFail();
        world.dangers.endanger(ids);
        node.pause(15_000);
        world.views.separate(ids, false, 500, PAUSE_DETECTED_MILLIS);
        population.after(
            15_000,
            () -> {
              liveness.disturbed("the end of a pause", SETTLED_MILLIS);
              world.views.unite(100, 1_500);
              population.after(4_000, () -> world.dangers.relieve(ids));
            });
        return;
      }
    }
  }

  private void clientHangsDuringJoin() {
    withClient(
        client -> {
          world.count(Fault.CLIENT_HUNG_DURING_JOIN);
          hang(client);
          population.after(200, population::join);
        });
  }

  private void clientHangsDuringCrash() {
    withClient(
        client -> {
          world.count(Fault.CLIENT_HUNG_DURING_CRASH);
          hang(client);
          population.after(200, this::crash);
        });
  }

  /** It does nothing for a while, and nobody has to notice. */
  private void hang(SimulatedNode client) {
    Set<NodeId> ids = Set.of(client.id);
    liveness.exempt(Set.of(client));
    liveness.disturbed("a node of capacity 0 hung", 0);
    world.dangers.endanger(ids);
    client.pause(10_000);
    population.after(14_000, () -> world.dangers.relieve(ids));
  }

  private void clientCutOff() {
    withClient(
        client -> {
          world.count(Fault.CLIENT_CUT_OFF_ALONE);
          cutOff(client, 0);
        });
  }

  /** A process of the cluster's name that nobody can talk to. */
  private void strangerNeverGreets() {
    world.count(Fault.STRANGER_NEVER_GREETED);
    SimulatedNode stranger = population.joinClient();
    stranger.pause(1_000_000);
    liveness.exempt(Set.of(stranger));
    liveness.disturbed("a stranger came", 0);
    population.after(LASTS_MILLIS, () -> world.crash(stranger));
  }

  private void leave() {
    if (population.leaveIfAllowed(population.any(population.sound()))) {
      world.count(Fault.LEFT_ALONE);
      liveness.disturbed("a node left", 0);
    }
  }

  /** Links of a node come and go, faster than anybody decides on it. */
  private void flapping() {
    List<SimulatedNode> sound = shuffled(population.sound());
    if (sound.size() < 3 || !world.dangers.canSpare(Set.of(sound.get(0).id))) {
      return;
    }
    world.count(Fault.FLAPPED);
    SimulatedNode node = sound.get(0);
    Set<NodeId> ids = Set.of(node.id);
    liveness.exempt(Set.of(node));
    liveness.disturbed("links that flapped", LASTS_MILLIS + CUT_DETECTED_MILLIS + SETTLED_MILLIS);
    world.letStreamsFail();
    world.dangers.endanger(ids);
    for (int second = 0; second < LASTS_MILLIS / 1_000; second++) {
      boolean cut = second % 2 == 0;
      population.after(
          1_000L * second,
          () -> {
            world.network.isolate(node, cut);
            if (cut) {
              world.views.separate(ids, true, 300, 2_000);
            } else {
              world.views.unite(100, 1_500);
            }
          });
    }
    population.after(LASTS_MILLIS, () -> world.views.unite(100, 1_500));
    population.after(LASTS_MILLIS + 4_000, () -> world.dangers.relieve(ids));
  }

  /**
   * Two nodes do not reach each other, but everybody else. One of them is set aside, and everybody
   * else goes on, also the other of the two. Where neither can go, because each of them alone owns
   * some segments or decides, only what does not need both of them goes on, and only elsewhere.
   */
  private void cutBetweenTwo() {
    List<SimulatedNode> sound = shuffled(population.sound());
    if (sound.size() < 3) {
      return;
    }
    SimulatedNode one = sound.get(0);
    SimulatedNode other = sound.get(1);
    if (!world.dangers.owns(one.id) || !world.dangers.owns(other.id)) {
      return; // no write waits for the two, and nobody goes soon
    }
    world.count(Fault.PAIR_CUT_ALONE);
    Set<NodeId> ids = Set.of(one.id, other.id);
    boolean neitherCanGo = mustStay(one) && mustStay(other);
    long budgetMillis = SET_ASIDE_MILLIS + LEASES_MILLIS;
    liveness.exempt(Set.of(one, other));
    liveness.disturbed("a cut between two nodes", budgetMillis);
    if (neitherCanGo) {
      liveness.demandOnly(segment -> !world.dangers.isShared(segment, one.id, other.id));
    }
    population.after(budgetMillis, () -> demandOfOneOf(one, other, neitherCanGo));
    world.letStreamsFail();
    world.dangers.endanger(ids);
    world.cutBetween(one, other);
    population.after(
        LASTS_MILLIS,
        () -> {
          liveness.demandAll("the end of a cut between two nodes", SETTLED_MILLIS);
          world.network.healBetween(one, other);
          population.after(4_000, () -> world.dangers.relieve(ids));
        });
  }

  /** Whether a node cannot be set aside. */
  private boolean mustStay(SimulatedNode node) {
    return node == world.coordinator() || world.dangers.ownsAlone(node.id);
  }

  /** One of two is out of the table by now, and the other one is not; unless neither can go. */
  private void demandOfOneOf(SimulatedNode one, SimulatedNode other, boolean neitherCanGo) {
    boolean goes = world.anySetAside(Set.of(one.id));
    boolean otherGoes = world.anySetAside(Set.of(other.id));
    world.check(
        neitherCanGo ? !goes && !otherGoes : goes != otherGoes,
        () ->
            "of %s and %s %s can be set aside, and were: %s, %s"
                .formatted(
                    world.name(one),
                    world.name(other),
                    neitherCanGo ? "neither" : "one",
                    goes,
                    otherGoes));
    if (neitherCanGo) {
      world.count(Fault.NEITHER_SET_ASIDE);
    } else {
      world.count(Fault.SET_ASIDE);
      liveness.holdAgain(goes ? other : one);
    }
  }

  private void withClient(Consumer<SimulatedNode> fault) {
    List<SimulatedNode> clients = population.clients();
    if (!clients.isEmpty()) {
      fault.accept(population.any(clients));
      return;
    }
    SimulatedNode client = population.joinClient();
    population.after(
        1_500,
        () -> {
          if (client.ready()) {
            fault.accept(client);
          }
        });
  }

  private List<SimulatedNode> shuffled(List<SimulatedNode> nodes) {
    List<SimulatedNode> mixed = new ArrayList<>(nodes);
    Collections.shuffle(mixed, time.random);
    return mixed;
  }
}
