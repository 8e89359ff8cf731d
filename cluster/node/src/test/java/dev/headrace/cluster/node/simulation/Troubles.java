package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.node.simulation.oracle.Fleeting;
import dev.headrace.cluster.node.simulation.oracle.StreamReader;
import dev.headrace.cluster.node.simulation.oracle.Workload;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What goes wrong in one life: some of all that can, at times that the seed draws. */
final class Troubles {
  private static final int BURST_KEYS = 300;

  /** So often a trouble looks whether somebody reads. */
  private static final int MOST_LOOKS = 300;

  private static final long LOOK_MILLIS = 2;

  private final Population population;
  private final World world;
  private final SimulatedTime time;
  private final Workload workload;
  private final List<StreamReader> readers;
  private final Fleeting fleeting;
  private final Ambushes ambushes;
  private final Splits splits;
  private final Operator operator;
  private int bursts;

  Troubles(
      Population population,
      Operator operator,
      Workload workload,
      List<StreamReader> readers,
      Fleeting fleeting) {
    this.operator = operator;
    this.fleeting = fleeting;
    this.population = population;
    this.world = population.world;
    this.time = world.time;
    this.workload = workload;
    this.readers = readers;
    this.ambushes = new Ambushes(population);
    this.splits = new Splits(population, workload);
  }

  /**
   * One trouble comes to every seed in its turn, others by chance.
   *
   * @param togetherOnly nobody is cut off
   */
  void draw(long seed, long withinMillis, boolean togetherOnly) {
    List<Runnable> all = new ArrayList<>(togetherOnly ? whileTogether() : all());
    Runnable first = all.remove((int) Math.floorMod(seed, (long) all.size()));
    time.within(withinMillis, first);
    Collections.shuffle(all, time.random);
    int more = time.random.nextInt(4);
    all.subList(0, more).forEach(trouble -> time.within(withinMillis, trouble));
  }

  /**
   * What happens to clusters whose parts may all go on: nobody is taken for lost who is there, for
   * then there would be two clusters.
   */
  private List<Runnable> whileTogether() {
    return List.of(
        ambushes::ownerWithinBatch,
        ambushes::primaryBeforeAcknowledging,
        ambushes::sourceOfCopy,
        ambushes::destinationOfCopy,
        ambushes::coordinatorPlanning,
        splits::slowLink,
        splits::cutConnections,
        whileReading(this::join),
        this::joinTwice,
        this::joinAndCrash,
        whileReading(this::leave),
        this::crash,
        this::crashOfReader,
        this::rollingRestart,
        whileReading(this::growWhileScanned));
  }

  private List<Runnable> all() {
    return List.of(
        ambushes::ownerWithinBatch,
        ambushes::primaryBeforeAcknowledging,
        ambushes::sourceOfCopy,
        ambushes::destinationOfCopy,
        ambushes::destinationOfCommit,
        ambushes::sourceOfCommit,
        ambushes::coordinatorPlanning,
        ambushes::coordinatorCommitting,
        ambushes::coordinatorPublishing,
        ambushes::handOverCutOff,
        splits::minority,
        splits::even,
        splits::oneWay,
        splits::pause,
        splits::clientComesBack,
        splits::clientPause,
        splits::slowLink,
        splits::slowNode,
        splits::cutConnections,
        splits::badWire,
        whileReading(this::join),
        this::joinTwice,
        this::joinAndCrash,
        whileReading(this::leave),
        this::crash,
        this::crashOfReader,
        this::rollingRestart,
        this::loseAllOwners,
        whileReading(this::growWhileScanned),
        this::jumpClocks,
        this::pauseWhileTimeIsTaken,
        this::leaveOneNode,
        this::crashClients,
        splits::cutBetweenTwo,
        operator::ownersDie,
        operator::ownersComeBack,
        operator::ownersComeBack); // what it wants does not always happen
  }

  /** As soon as somebody reads, or after a while. */
  private Runnable whileReading(Runnable trouble) {
    return () -> whileReading(trouble, MOST_LOOKS);
  }

  private void whileReading(Runnable trouble, int looks) {
    if (looks == 0 || streaming()) {
      trouble.run();
    } else {
      population.after(LOOK_MILLIS, () -> whileReading(trouble, looks - 1));
    }
  }

  private boolean streaming() {
    return readers.stream().anyMatch(StreamReader::reading);
  }

  private void join() {
    population.join();
    if (streaming()) {
      world.count(Fault.JOINED_WHILE_STREAMING);
    }
  }

  private void joinTwice() {
    population.join();
    time.within(400, population::join);
    world.count(Fault.TWO_JOINED);
  }

  private void joinAndCrash() {
    population.join();
    time.within(
        400,
        () -> {
          if (!population.sound().isEmpty()
              && population.crashIfAllowed(population.any(population.sound()))) {
            world.count(Fault.JOINED_AND_CRASHED);
          }
        });
  }

  private void leave() {
    List<SimulatedNode> sound = population.sound();
    if (!sound.isEmpty() && population.leaveIfAllowed(population.any(sound))) {
      if (streaming()) {
        world.count(Fault.LEFT_WHILE_STREAMING);
      }
      if (population.owners == 1) {
        world.count(Fault.ONLY_OWNER_LEFT);
      }
    }
  }

  private void crash() {
    for (int i = 0; i < population.owners; i++) {
      time.within(
          600,
          () -> {
            List<SimulatedNode> sound = population.sound();
            if (!sound.isEmpty()) {
              population.crashIfAllowed(population.any(sound));
            }
          });
    }
  }

  private void crashOfReader() {
    readers.stream()
        .filter(StreamReader::reading)
        .findFirst()
        .ifPresentOrElse(
            reader -> {
              if (population.crashIfAllowed(reader.node())) {
                world.count(Fault.STREAMING_NODE_CRASHED);
              }
            },
            () -> {
              if (readers.stream().anyMatch(reader -> !reader.ended())) {
                population.after(50, this::crashOfReader);
              }
            });
  }

  /** Every node goes and another comes for it, one after the other. */
  private void rollingRestart() {
    world.count(Fault.ROLLING_RESTART);
    long pauseMillis = 300L + time.random.nextInt(600);
    long at = 0;
    for (SimulatedNode node : population.sound()) {
      population.after(
          at,
          () -> {
            boolean gone =
                time.random.nextBoolean()
                    ? population.leaveIfAllowed(node)
                    : population.crashIfAllowed(node);
            if (gone) {
              population.after(pauseMillis / 2, population::join);
            }
          });
      at += pauseMillis;
    }
  }

  /** As many nodes die as a quorum can bear: some segments lose all their owners. */
  private void loseAllOwners() {
    List<SimulatedNode> sound = new ArrayList<>(population.sound());
    Collections.shuffle(sound, time.random);
    int most = Math.min(sound.size(), population.owners);
    Set<NodeId> victims =
        sound.subList(0, most).stream()
            .map(node -> node.id)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (!victims.isEmpty() && world.dangers.canGoOnWithout(victims)) {
      if (!world.dangers.lose(victims).isEmpty()) {
        world.count(Fault.ALL_OWNERS_LOST);
      }
      sound.subList(0, most).forEach(world::crash);
      population.after(time.random.nextInt(2_000), population::join);
    }
  }

  /** Tables grow and are rewritten while scans are inside them. */
  private void growWhileScanned() {
    String burst = "burst-" + bursts++ + "-";
    if (streaming()) {
      world.count(Fault.GREW_WHILE_SCANNED);
    }
    for (int i = 0; i < BURST_KEYS; i++) {
      String key = burst + i;
      time.within(
          300,
          () -> {
            SimulatedNode node = world.anyReady();
            if (node != null) {
              node.run(() -> workload.put(node, key));
            }
          });
    }
  }

  /** The wall clocks of nodes that start from now on are wrong by years. */
  private void jumpClocks() {
    world.wallErrorMillis = 100_000_000_000L;
    population.join();
    for (int i = 0; i < 10; i++) {
      time.within(
          1_000,
          () -> {
            SimulatedNode node = world.anyReady();
            if (node != null) {
              node.run(() -> fleeting.put(node));
            }
          });
    }
  }

  /** A node stands still at the moment at which it is told the time. */
  private void pauseWhileTimeIsTaken() {
    SimulatedNode joiner = population.join();
    boolean[] paused = new boolean[1];
    world.injector.always(
        "Append",
        (from, to, message) -> {
          if (to == joiner && !paused[0] && !joiner.ready()) {
            paused[0] = true;
            world.count(Fault.PAUSED_WHILE_TIME_WAS_TAKEN);
            world.letStreamsFail(); // Its vote may count already, and another one be missing.
            world.dangers.endanger(Set.of(joiner.id));
            population.after(4_000, () -> world.dangers.relieve(Set.of(joiner.id)));
            joiner.pause(2_000);
          }
        });
    for (int i = 0; i < 10; i++) {
      boolean itself = i % 2 == 0;
      population.after(
          2_500 + 100L * i,
          () -> {
            SimulatedNode node = itself && joiner.ready() ? joiner : world.anyReady();
            if (node != null) {
              node.run(() -> fleeting.put(node));
            }
          });
    }
  }

  /** All data nodes but one leave; those that hold nothing just go. */
  private void leaveOneNode() {
    population.joinClient();
    List<SimulatedNode> sound = population.sound();
    long at = 0;
    for (SimulatedNode node : sound.subList(0, Math.max(0, sound.size() - 1))) {
      population.after(at, () -> population.leaveIfAllowed(node));
      at += 100 + time.random.nextInt(700);
    }
    population.after(
        at + 300,
        () -> {
          crashClients();
          if (population.sound().size() == 1) {
            world.count(Fault.ONE_NODE_LEFT);
          }
        });
  }

  private void crashClients() {
    if (population.clients().isEmpty()) {
      population.joinClient();
      population.after(400, this::crashClientsNow);
    } else {
      crashClientsNow();
    }
  }

  private void crashClientsNow() {
    for (SimulatedNode client : population.clients()) {
      world.count(Fault.CLIENT_CRASHED);
      world.crash(client);
    }
  }
}
