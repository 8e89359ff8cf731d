package dev.headrace.cluster.node.simulation;

import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.cluster.node.simulation.oracle.Fleeting;
import dev.headrace.cluster.node.simulation.oracle.StreamReader;
import dev.headrace.cluster.node.simulation.oracle.StreamReader.Mood;
import dev.headrace.cluster.node.simulation.oracle.Workload;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * One simulated life of a cluster: nodes found it, load it, write, read and stream while everything
 * goes wrong that the seed has drawn; then it is left in peace and compared.
 */
public final class Life {
  private static final int STABLE_KEYS = 60;
  private static final int BUSY_KEYS = 20;
  private static final int OPERATIONS = 70;
  private static final int LATE_CACHES = 2;

  /** Two values of the largest size: what callers have received is forgotten. */
  private static final long MOST_RESULT_BYTES = 20_000;

  private static final int LATE_KEYS = 8;
  private static final int LATE_OPERATIONS = 20;
  private static final long TROUBLED_MILLIS = 1_500;
  private static final long AFTERMATH_MILLIS = 2_500;
  private static final long LOOK_MILLIS = 100;

  /** In the end somebody looks after the cluster so often. */
  private static final long OPERATOR_MILLIS = 3_000;

  /** Then what its owners say is lost is given up, too. */
  private static final long PATIENCE_MILLIS = 20_000;

  private static final int ALLOWING_ONCE_IN = 17;

  /** One cluster in so many keeps only little in memory. */
  private static final int NARROW_ONCE_IN = 11;

  /** One life in so many has one fault only. */
  private static final int ALONE_ONCE_IN = 7;

  private static final long ALONE_MILLIS = 20_000;
  private static final long MOST_REST_MILLIS = 300_000;

  private final long seed;
  private final World world;
  private final SimulatedTime time;
  private final Workload workload;

  /** One per cache. */
  private final List<Workload> workloads = new ArrayList<>();

  private final Population population;
  private final Operator operator;
  private final List<StreamReader> readers = new ArrayList<>();
  private final Set<String> stable = new LinkedHashSet<>();
  private final Set<NodeId> touched = new HashSet<>();
  private final Fleeting fleeting;
  private final Troubles troubles;
  private final Liveness liveness;

  /**
   * @param maker makes the engines of the nodes
   */
  public Life(long seed, Engine.Maker maker) {
    this.seed = seed;
    world = new World(seed, maker);
    time = world.time;
    workload = new Workload(world, "simulated");
    workloads.add(workload);
    for (int i = 0; i < LATE_CACHES; i++) {
      workloads.add(new Workload(world, "late-" + i));
    }
    int[] owners = {1, 2, 2, 2, 3};
    population =
        new Population(
            world,
            placement(seed),
            split(seed),
            owners[time.random.nextInt(5)],
            4 + time.random.nextInt(3) * 4);
    population.decideOnLost(isAlone() ? LostSegments.WAIT : lost(seed));
    world.narrow = !isAlone() && seed % NARROW_ONCE_IN == 4;
    world.carriedBytes = (int) (seed % 3) * 2000; // of a third none
    Integer loops = Integer.getInteger("headrace.loops");
    world.network.maxShares = loops == null ? maxShares(seed) : loops;
    population.sameLoops = loops != null;
    operator = new Operator(population);
    fleeting = new Fleeting(world, workload);
    troubles = new Troubles(population, operator, workload, readers, fleeting);
    liveness = new Liveness(world, workload);
    workloads.forEach(one -> one.expectOwners(population.minOwners));
    world.dangers.onLoss(lost -> workloads.forEach(one -> one.mayBeLost(lost)));
    world.dangers.onFailure(failed -> workloads.forEach(one -> one.mayBeUndone(failed)));
  }

  /** Mostly the default. What else the seed draws does not depend on it. */
  private static SegmentPlacement placement(long seed) {
    List<String> others = List.of("ketama-md5", "rendezvous:1.25", "jump", "jump-back-anchor");
    return seed % 8 == 7
        ? SegmentPlacement.named(others.get((int) (seed / 8 % others.size())))
        : SegmentPlacement.LEVELLED_RENDEZVOUS;
  }

  /**
   * In half of the clusters nodes have one connection of each kind, in the others up to four. What
   * else the seed draws does not depend on it.
   */
  private static int maxShares(long seed) {
    return Math.max(1, (int) Math.floorMod(seed / 3, 8L) - 3);
  }

  /** Most clusters wait for what nobody in reach has, some of them only for a while. */
  private static LostSegments lost(long seed) {
    return switch (Math.floorMod(seed / 36, 4)) {
      case 0 -> LostSegments.recreateAfter(Duration.ZERO);
      case 1, 2 -> LostSegments.WAIT;
      default -> LostSegments.recreateAfter(Duration.ofMillis(1_000 + seed % 7 * 500));
    };
  }

  /** A few clusters may be split, but are not. */
  private static SplitPolicy split(long seed) {
    return Math.floorMod(seed, ALLOWING_ONCE_IN) == 5 ? SplitPolicy.ALLOW : SplitPolicy.DENY;
  }

  /** Lives it, to the end or to the first thing that must not be. */
  public void live() {
    found();
    load();
    if (isAlone()) {
      troubleAlone();
    } else {
      trouble();
    }
    rest();
    expire();
    restAgain();
    new Comparison(world, workloads).compare();
  }

  /** How often each fault has happened. */
  public Map<Fault, Integer> faults() {
    return world.happened;
  }

  /** The time at which it is over, for comparing lives. */
  public String ending() {
    return time.nanoTime()
        + " ns, "
        + time.ran()
        + " events, "
        + workload.calls().acknowledged()
        + " operations";
  }

  /** Whether there is one fault only. */
  private boolean isAlone() {
    return seed % ALONE_ONCE_IN == 3
        && split(seed) == SplitPolicy.DENY
        && population.minOwners == 1;
  }

  private void found() {
    int nodes = Math.max(2, population.owners) + time.random.nextInt(3) + (isAlone() ? 1 : 0);
    boolean apart = time.onceIn(5);
    world.views.apart = apart;
    for (int i = 0; i < nodes; i++) {
      population.join();
      if (time.random.nextBoolean()) {
        time.pass(time.random.nextInt(40));
      }
    }
    if (apart) {
      world.count(Fault.TWO_FIRST_NODES);
      time.pass(time.random.nextInt(600));
      world.views.uniteNow();
    }
    if (time.onceIn(3)) {
      population.joinClient();
    }
    await(20_000, "the nodes did not find each other", this::everybodySeesAll);
  }

  private boolean everybodySeesAll() {
    int living = world.living().size();
    return world.living().stream()
        .allMatch(
            node -> {
              var table = node.engine.table();
              return table != null && table.members().size() == living;
            });
  }

  private void load() {
    for (int i = 0; i < STABLE_KEYS; i++) {
      stable.add("stable-" + i);
      workload.put(population.any(world.ready()), "stable-" + i);
    }
    await(60_000, "loading did not end", () -> outstanding() == 0);
    world.check(
        workload.calls().acknowledged() == STABLE_KEYS,
        () ->
            "of "
                + STABLE_KEYS
                + " puts to an undisturbed cluster only "
                + workload.calls().acknowledged());
  }

  private int outstanding() {
    return workloads.stream().mapToInt(each -> each.calls().outstanding()).sum();
  }

  private void trouble() {
    useLateCaches();
    for (int i = 0; i < OPERATIONS; i++) {
      time.within(TROUBLED_MILLIS + 500, this::operate);
    }
    for (Mood mood : Mood.values()) {
      time.within(TROUBLED_MILLIS, () -> read(mood));
    }
    troubles.draw(seed, TROUBLED_MILLIS, split(seed) == SplitPolicy.ALLOW);
    for (long passed = 0; passed < TROUBLED_MILLIS + AFTERMATH_MILLIS; passed += LOOK_MILLIS) {
      time.pass(LOOK_MILLIS);
      LaneBounds.check(world);
      readers.forEach(reader -> reader.lookAfter(false));
    }
    world.throwFailure();
  }

  /** Caches that nobody has heard of before are used while things go wrong. */
  private void useLateCaches() {
    for (Workload late : workloads.subList(1, workloads.size())) {
      long begins = time.random.nextInt((int) TROUBLED_MILLIS);
      for (int i = 0; i < LATE_OPERATIONS; i++) {
        population.after(begins + time.random.nextInt(600), () -> operate(late));
      }
      population.after(begins + time.random.nextInt(1_500), () -> readLate(late));
    }
  }

  private void operate(Workload late) {
    SimulatedNode node = world.anyReady();
    if (node != null && time.onceIn(20)) {
      node.run(() -> late.clear(node));
    } else if (node != null) {
      String key = "late-" + time.random.nextInt(LATE_KEYS);
      node.run(() -> late.operate(node, key));
    }
  }

  private void readLate(Workload late) {
    SimulatedNode node = world.anyReady();
    if (node != null) {
      node.run(() -> readers.add(new StreamReader(world, late, node, Set.of(), Mood.KEEN)));
    }
  }

  /** One fault, during which and after which everything has to go on. */
  private void troubleAlone() {
    liveness.watch();
    new SingleFaults(population, liveness).draw(seed / ALONE_ONCE_IN);
    for (int i = 0; i < OPERATIONS; i++) {
      time.within(ALONE_MILLIS, this::operate);
    }
    while (time.nanoTime() < liveness.endMillis() * SimulatedTime.MILLI) {
      time.pass(LOOK_MILLIS);
      world.throwFailure();
    }
    liveness.unwatch();
    world.check(liveness.succeeded() > 0, "nothing was demanded");
  }

  private void operate() {
    SimulatedNode node = world.anyReady();
    if (node != null) {
      String key = "busy-" + time.random.nextInt(BUSY_KEYS);
      node.run(() -> workload.operate(node, key));
    }
  }

  private void read(Mood mood) {
    SimulatedNode node = world.anyReady();
    if (node != null) {
      node.run(() -> readers.add(new StreamReader(world, workload, node, stable, mood)));
    }
  }

  /** Nothing goes wrong any more but what is going on already. */
  private void rest() {
    world.injector.disarm();
    long restedMillis = 0;
    boolean healed = false;
    while (!(healed && quiet())) {
      world.throwFailure();
      world.check(restedMillis < MOST_REST_MILLIS, this::whatIsMissing);
      touchNewcomers();
      time.pass(LOOK_MILLIS);
      LaneBounds.check(world);
      restedMillis += LOOK_MILLIS;
      if (healed && restedMillis % OPERATOR_MILLIS == 0) {
        operator.giveUpDead(restedMillis > PATIENCE_MILLIS);
      }
      // Only when a pause is over, so that all that came meanwhile happens before what comes then.
      if (!healed && world.living().stream().noneMatch(SimulatedNode::paused)) {
        healed = true;
        world.network.heal();
        world.living().forEach(SimulatedNode::recover);
        world.views.uniteNow();
      }
      world.coarse |= restedMillis > 8_000;
      boolean wakeUp = healed;
      readers.forEach(reader -> reader.lookAfter(wakeUp));
    }
    world.coarse = false;
  }

  private void touchNewcomers() {
    world.ready().stream().filter(node -> touched.add(node.id)).forEach(this::touch);
  }

  private void touch(SimulatedNode node) {
    workloads.forEach(one -> Comparison.touch(node, one.cacheName()));
  }

  /** What is there for a time only is there until its time is up. */
  private void expire() {
    if (fleeting.any()) {
      world.living().forEach(fleeting::look);
      await(60_000, "looking did not end", () -> outstanding() == 0);
      // One that has just been started again has no table yet, without which nothing can be read.
      List<Fleeting.Slow> slow = world.ready().stream().map(fleeting::read).toList();
      world.coarse = true;
      time.pass(Fleeting.GONE_MILLIS);
      world.coarse = false;
      slow.forEach(Fleeting.Slow::goOn);
      world.living().forEach(fleeting::look);
      await(60_000, "looking again did not end", () -> outstanding() == 0);
      // Slow readers look up again what has expired in their buffers; the others may go on for
      // long.
      await(60_000, "slow readers do not end", () -> slow.stream().allMatch(Fleeting.Slow::ended));
    }
  }

  /** What the last looks have begun ends, too, and what has expired is removed everywhere. */
  private void restAgain() {
    for (long millis = 0; !quiet(); millis += LOOK_MILLIS) {
      world.check(millis < MOST_REST_MILLIS, this::whatIsMissing);
      touchNewcomers();
      readers.forEach(reader -> reader.lookAfter(true));
      time.pass(LOOK_MILLIS);
    }
  }

  private boolean quiet() {
    return outstanding() == 0
        && readers.stream().allMatch(StreamReader::ended)
        && world.views.settled()
        && world.ready().stream().allMatch(node -> touched.contains(node.id))
        && Comparison.agreed(world)
        && world.living().stream().allMatch(Life::isIdle);
  }

  /**
   * Whether next to nothing is left of what a node has done for others, and nothing of what it has
   * yet to do: callers may have asked it for something during a pause, which it begins afterwards.
   */
  private static boolean isIdle(SimulatedNode node) {
    return !node.isBehind()
        && node.batchesInUse == 0
        && node.engine.inFlight().isEmpty()
        && node.engine.resultBytes() <= MOST_RESULT_BYTES;
  }

  private String whatIsMissing() {
    StringBuilder text = new StringBuilder("The cluster does not come to rest: ");
    text.append(outstanding()).append(" operations");
    readers.stream()
        .filter(reader -> !reader.ended())
        .forEach(reader -> text.append("; ").append(reader.describe()));
    text.append("; views settled: ").append(world.views.settled());
    text.append("; ").append(Comparison.disagreement(world));
    for (SimulatedNode node : world.living()) {
      text.append("; ").append(world.name(node)).append(": ").append(node.batchesInUse);
      text.append(" batches, ").append(node.engine.resultBytes()).append(" bytes of results, ");
      text.append(node.engine.inFlight());
    }
    return text.toString();
  }

  private void await(long mostMillis, String otherwise, BooleanSupplier what) {
    boolean came = time.runUntil(what, mostMillis);
    world.throwFailure();
    world.check(came, otherwise);
  }
}
