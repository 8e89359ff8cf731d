package dev.headrace.cluster.node.simulation;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.Replicate;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Nodes that die, or are cut off, at the very moment at which they do something. */
final class Ambushes {
  private final Population population;
  private final World world;
  private final SimulatedTime time;
  private final Map<Long, NodeId> destinations = new HashMap<>();

  Ambushes(Population population) {
    this.population = population;
    this.world = population.world;
    this.time = world.time;
    watchForRaces();
    watchOrders();
  }

  /** Remembers where copies lead. */
  private void watchOrders() {
    world.injector.always(
        "CopyOrder",
        (from, to, message) -> {
          if (message instanceof CopyOrder order) {
            order
                .copies()
                .forEach(copy -> destinations.put(copy.migration(), anyOf(copy.destinations())));
          }
        });
  }

  private NodeId anyOf(List<NodeId> nodes) {
    return nodes.get(time.random.nextInt(nodes.size()));
  }

  /** Writes that are forwarded to a node that is still being copied to. */
  private void watchForRaces() {
    world.injector.always(
        "Replicate",
        (from, to, message) -> {
          SegmentTable table = from.engine.table();
          if (message instanceof Replicate replicate
              && to != null
              && table != null
              && !table.isOwner(replicate.segment(), to.id)) {
            world.count(Fault.WRITE_RACED_COPY);
          }
        });
  }

  /** Data has to move for the next ambush: a node comes, or one leaves. */
  private void makeItMove() {
    if (time.onceIn(3) && population.sound().size() > 2) {
      population.leaveIfAllowed(population.any(population.sound()));
    } else {
      population.join();
    }
  }

  void ownerWithinBatch() {
    world.injector.afterDelivery(
        "ReadRequest",
        1 + time.random.nextInt(12),
        (from, to, message) -> crash(to, Fault.OWNER_CRASHED_WITHIN_BATCH));
  }

  void primaryBeforeAcknowledging() {
    boolean early = time.random.nextBoolean();
    String kind = early ? "Replicate" : "OperationReply";
    world.injector.beforeSending(
        kind,
        1 + time.random.nextInt(20),
        (from, to, message) -> crash(from, Fault.PRIMARY_CRASHED_BEFORE_ACKNOWLEDGING));
  }

  void sourceOfCopy() {
    makeItMove();
    boolean early = time.random.nextBoolean();
    if (early) {
      world.injector.beforeSending(
          "BeginCopy",
          1 + time.random.nextInt(10),
          (from, to, message) -> crash(from, Fault.SOURCE_CRASHED));
    } else {
      world.injector.afterDelivery(
          "RangeRequest",
          1 + time.random.nextInt(10),
          (from, to, message) -> crash(to, Fault.SOURCE_CRASHED));
    }
  }

  void destinationOfCopy() {
    makeItMove();
    world.injector.afterDelivery(
        time.random.nextBoolean() ? "BeginCopy" : "Range",
        1 + time.random.nextInt(10),
        (from, to, message) -> crash(to, Fault.DESTINATION_CRASHED));
  }

  /** The node that a segment is about to be committed to. */
  void destinationOfCommit() {
    population.join();
    // A single owner must not die; so it has to be the first segment that it is given.
    int most = population.owners == 1 ? 1 : 6;
    int withinMillis = time.random.nextBoolean() ? 0 : 8;
    world.injector.beforeSending(
        "CopyStateReport",
        1 + time.random.nextInt(most),
        (from, to, message) -> {
          if (message instanceof CopyStateReport report) {
            NodeId destination = destinations.get(report.states().get(0).migration());
            SimulatedNode node = destination == null ? null : world.nodes.get(destination);
            time.within(withinMillis, () -> crash(node, Fault.DESTINATION_CRASHED_AT_COMMIT));
          }
        });
  }

  /** The node that has what a new owner may still lack, even if nobody else has it. */
  void sourceOfCommit() {
    makeItMove();
    world.injector.beforeSending(
        "CopyStateReport",
        1 + time.random.nextInt(6),
        (from, to, message) -> time.within(20, () -> lose(from)));
  }

  private void lose(SimulatedNode node) {
    Set<NodeId> alone = Set.of(node.id);
    if (node.alive && !world.dangers.atRisk(node) && world.dangers.canGoOnWithout(alone)) {
      world.dangers.lose(alone);
      world.crash(node);
      world.count(Fault.SOURCE_LOST_AT_COMMIT);
      population.after(100 + time.random.nextInt(900), population::join);
    }
  }

  void coordinatorPlanning() {
    makeItMove();
    world.injector.beforeSending(
        "CopyOrder",
        1 + time.random.nextInt(3),
        (from, to, message) -> crash(from, Fault.COORDINATOR_CRASHED_PLANNING));
  }

  void coordinatorCommitting() {
    makeItMove();
    world.injector.afterDelivery(
        "CopyStateReport",
        1 + time.random.nextInt(4),
        (from, to, message) -> {
          // What is ready is proposed now; the table may be stored by some when it dies.
          int appends = 1 + time.random.nextInt(6);
          world.injector.beforeSending(
              "Append",
              appends,
              (sender, receiver, append) -> crash(sender, Fault.COORDINATOR_CRASHED_COMMITTING));
        });
  }

  void coordinatorPublishing() {
    makeItMove();
    world.injector.afterInstallation(
        1 + time.random.nextInt(3),
        (from, to, message) -> {
          SimulatedNode coordinator = world.coordinator();
          crash(coordinator, Fault.COORDINATOR_CRASHED_PUBLISHING);
        });
  }

  /** The coordinator's decision reaches one node, then nobody hears of it for a while. */
  void handOverCutOff() {
    makeItMove();
    world.injector.afterInstallation(
        1 + time.random.nextInt(4),
        (told, same, message) -> {
          SimulatedNode coordinator = world.coordinator();
          if (coordinator != null && told != coordinator && told.alive) {
            world.count(Fault.HAND_OVER_CUT_OFF);
            isolate(time.random.nextBoolean() ? coordinator : told, coordinator, told);
          }
        });
  }

  /** A node does not reach the others, but for these two, and is back before it is missed. */
  private void isolate(SimulatedNode node, SimulatedNode one, SimulatedNode other) {
    List<SimulatedNode> rest = new ArrayList<>(world.living());
    rest.removeAll(List.of(one, other));
    for (SimulatedNode each : rest) {
      world.network.cut(node.id, each.id);
      world.network.cut(each.id, node.id);
    }
    population.after(
        50 + time.random.nextInt(700),
        () -> {
          for (SimulatedNode each : rest) {
            world.network.heal(node.id, each.id);
            world.network.heal(each.id, node.id);
          }
        });
  }

  private void crash(@Nullable SimulatedNode node, Fault fault) {
    if (node != null && population.crashIfAllowed(node)) {
      world.count(fault);
    }
  }
}
