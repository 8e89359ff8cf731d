package dev.headrace.cluster.node.simulation;

import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.cluster.node.simulation.oracle.Workload;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The nodes of one cluster: how they are set up, who may go, and who comes instead. */
final class Population {
  private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(4);

  /** So many choices of nodes are looked at for one that has what is wanted. */
  private static final int CHOICES = 20;

  final World world;
  final int owners;
  final int segments;
  private final SegmentPlacement placement;
  private LostSegments lostSegments = LostSegments.WAIT;
  private final SplitPolicy split;
  final int minOwners;
  private final boolean zones;
  private final boolean unequal;
  private int started;

  /** Whether all nodes have as many loops as any may have; else some have fewer. */
  boolean sameLoops;

  Population(World world, SegmentPlacement placement, SplitPolicy split, int owners, int segments) {
    this.split = split;
    this.minOwners = world.time.onceIn(8) ? Math.min(owners, 2) : 1;
    this.world = world;
    this.placement = placement;
    this.owners = owners;
    this.segments = segments;
    this.zones = world.time.onceIn(4);
    this.unequal = world.time.onceIn(4);
    world.dangers.onExclusion(this::restartLater);
  }

  /** What becomes of segments that nobody in reach has. */
  void decideOnLost(LostSegments setting) {
    lostSegments = setting;
    // Where no part of a cluster waits for another, the setting does not matter.
    boolean waits = split == SplitPolicy.DENY;
    world.dangers.decideOnLost(waits ? setting : LostSegments.recreateAfter(Duration.ZERO));
  }

  /** Whether segments that nobody in reach has are waited for, if only for a while. */
  boolean waitsForLostSegments() {
    Duration after = lostSegments.recreateAfter();
    return split == SplitPolicy.DENY && (after == null || !after.isZero());
  }

  /** A data node starts. */
  SimulatedNode join() {
    return start(unequal ? 1 + world.time.random.nextInt(2) : 1);
  }

  /** A node starts that holds nothing. */
  SimulatedNode joinClient() {
    return start(0);
  }

  private SimulatedNode start(double capacity) {
    int number = started++;
    int most = world.network.maxShares;
    int loops = sameLoops ? most : 1 + number % most;
    return world.start(
        NodeSettings.builder()
            .nodeName((capacity == 0 ? "client-" : "node-") + number)
            .segments(segments)
            .owners(owners)
            .minOwners(minOwners)
            .splitPolicy(split)
            .placement(placement)
            .capacity(capacity)
            .operationLoops(loops)
            .bulkLoops(loops)
            .zone(zones ? "zone-" + number % 2 : "")
            .operationTimeout(OPERATION_TIMEOUT)
            .lostSegments(lostSegments)
            .functions(Workload.functions())
            .build());
  }

  /** Who looks after a node starts it again when its cluster has given it up. */
  private void restartLater(SimulatedNode node) {
    if (node.holdsSegments()) {
      if (world.dangers.atRisk(node) && node.wasPaused) {
        world.count(Fault.PAUSED_AND_EXCLUDED);
      }
      after(100 + world.time.random.nextInt(600), this::join);
    }
  }

  void after(long millis, Runnable task) {
    world.time.schedule(millis * SimulatedTime.MILLI, task);
  }

  /** Data nodes that have joined, and neither leave nor are in danger. */
  List<SimulatedNode> sound() {
    return world.ready().stream()
        .filter(SimulatedNode::holdsSegments)
        .filter(node -> !world.dangers.isLeaving(node) && !world.dangers.atRisk(node))
        .toList();
  }

  /**
   * Data nodes that have all copies of some segments, and without which the cluster can go on; none
   * if there are no such nodes, or chance does not find them.
   */
  List<SimulatedNode> onlyHolders() {
    for (int choice = 0; choice < CHOICES; choice++) {
      List<SimulatedNode> data = new ArrayList<>(sound());
      Collections.shuffle(data, world.time.random);
      for (int size = 1; size < data.size(); size++) {
        List<SimulatedNode> some = data.subList(0, size);
        Set<NodeId> ids = some.stream().map(node -> node.id).collect(Collectors.toSet());
        if (!world.dangers.unreachableWithout(ids).isEmpty() && world.dangers.canGoOnWithout(ids)) {
          return some;
        }
      }
    }
    return List.of();
  }

  List<SimulatedNode> clients() {
    return world.ready().stream().filter(node -> !node.holdsSegments()).toList();
  }

  SimulatedNode any(List<SimulatedNode> some) {
    return some.get(world.time.random.nextInt(some.size()));
  }

  /** A node dies if the promises allow it; another one comes later. Returns whether it died. */
  boolean crashIfAllowed(SimulatedNode node) {
    boolean spare = !node.holdsSegments() || world.dangers.canSpare(Set.of(node.id));
    if (!node.alive || !spare) {
      return false;
    }
    world.crash(node);
    if (node.holdsSegments() && world.time.random.nextInt(4) > 0) {
      after(100 + world.time.random.nextInt(900), this::join);
    }
    return true;
  }

  /** A node leaves in order if others can take over. */
  boolean leaveIfAllowed(SimulatedNode node) {
    boolean others = sound().stream().anyMatch(other -> other != node);
    if (!node.ready() || !others || !world.dangers.mayLeave(node)) {
      return false;
    }
    world.dangers.leaves(node);
    world.trace(() -> "leave " + world.name(node));
    node.run(node.engine::leave);
    return true;
  }
}
