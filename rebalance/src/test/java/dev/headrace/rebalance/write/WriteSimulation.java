package dev.headrace.rebalance.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.FillReport;
import dev.headrace.rebalance.message.Message;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A cluster in one thread: callers on every node write to a few keys while nodes crash, are shut
 * out, lose connections and get new tables late. At the end the answers must be explained by some
 * order of the operations, and all owners must hold the same bytes.
 */
final class WriteSimulation {
  static final int SEGMENTS = 4;
  private static final long MILLIS = 1_000_000L;
  private static final long FAULTS_NANOS = 2_500 * MILLIS;
  private static final long TICK_NANOS = 10 * MILLIS;

  final SplittableRandom random;
  final boolean disorderly;
  private final boolean stubborn;
  final SimulatedNetwork network;
  final HashSpace space;
  final Map<NodeId, SimulatedNode> live = new HashMap<>();
  final Set<NodeId> shutOut = new HashSet<>();
  private final int dataNodes;
  final boolean leases;
  private final boolean migrating;
  final SimulatedDirector director;
  private final SimulatedLeases tokens;
  private final Map<Long, SegmentTable> predecessors = new HashMap<>();
  final Set<Integer> lostSegments = new HashSet<>();
  private final SimulatedCallers callers;
  private SegmentTable table;
  private int crashesLeft;

  WriteSimulation(long seed) {
    random = new SplittableRandom(seed);
    disorderly = random.nextInt(3) > 0;
    stubborn = random.nextInt(3) == 0;
    network = new SimulatedNetwork(random.split(), disorderly);
    dataNodes = 3 + random.nextInt(3);
    int clients = random.nextInt(2);
    int owners = 1 + random.nextInt(3);
    callers = new SimulatedCallers(this, 80 + random.nextInt(100));
    crashesLeft = random.nextInt(dataNodes);
    table = Tables.unsealed(dataNodes, clients, SEGMENTS, owners);
    leases = random.nextBoolean();
    migrating = random.nextInt(4) > 0;
    director = new SimulatedDirector(random.split(), network, live);
    tokens = new SimulatedLeases(random.split(), network);
    space = new HashSpace(table.segments(), table.hashSeed());
    boolean narrow = random.nextInt(migrating ? 6 : 2) == 0;
    for (int i = 0; i < dataNodes + clients; i++) {
      add(Tables.node(i), narrow);
    }
  }

  private void add(NodeId id, boolean narrow) {
    LaneSettings settings =
        new LaneSettings(
            id,
            1,
            narrow ? 3 : 4096,
            narrow ? 600 : 1 << 20,
            narrow ? 2 : 256,
            60 * MILLIS,
            200 * MILLIS,
            leases ? 2 * SimulatedLeases.LEASE_NANOS : 0,
            1 << 17);
    SimulatedNode node =
        new SimulatedNode(
            settings,
            1 << 16,
            (to, message) -> send(id, to, message),
            network::nowMillis,
            () -> network.after(random.nextLong(20 * MILLIS), this::seal),
            newer -> noticed(id, newer));
    if (leases) {
      node.lease = () -> !table.sealed() || tokens.has(id);
    }
    node.coordinator = this::lost;
    node.busy = random.nextInt(3) == 0;
    live.put(id, node);
    network.add(node);
  }

  private void lost(int segment, long segmentEpoch) {
    assertThat(lostSegments).as("lost segments, of which %d is one", segment).contains(segment);
    network.after(
        random.nextLong(20 * MILLIS),
        () -> {
          if (table.segmentEpoch(segment) == segmentEpoch) {
            become(Tables.lost(table, segment));
          }
        });
  }

  private void send(NodeId from, NodeId to, Message message) {
    if (message instanceof FillReport report) {
      network.after(random.nextLong(20 * MILLIS), () -> director.reported(report));
    } else {
      network.send(from, to, message);
    }
  }

  // ---- Migrations

  private void migrate() {
    if (!table.sealed()) {
      network.after(20 * MILLIS, this::migrate);
      return;
    }
    if (network.nowNanos() < 1_000 * MILLIS + FAULTS_NANOS) {
      director.act(
          table,
          live.keySet().stream()
              .filter(id -> table.member(id) != null && table.member(id).holdsSegments())
              .sorted()
              .toList());
      Map<Integer, List<NodeId>> rows = director.commit(table);
      if (rows != null) {
        commit(rows);
      }
      network.after(random.nextLong(60 * MILLIS), this::migrate);
    }
  }

  private void commit(Map<Integer, List<NodeId>> rows) {
    for (Map.Entry<Integer, List<NodeId>> row : rows.entrySet()) {
      for (NodeId owner : table.owners(row.getKey())) {
        if (!row.getValue().contains(owner) && random.nextInt(4) == 0) {
          network.pause(owner, random.nextLong(500 * MILLIS));
        }
      }
    }
    become(Tables.withRows(table, rows));
  }

  private void become(SegmentTable newer) {
    predecessors.put(newer.epoch(), table);
    table = newer;
    publish();
  }

  /** In a stubborn run a node that was shut out learns nothing of it. */
  private void noticed(NodeId id, SegmentTable newer) {
    if (!(stubborn && shutOut.contains(id))) {
      adopt(live.get(id), newer);
    }
  }

  /** Runs to the end and checks everything. */
  void run() {
    publish();
    for (SimulatedNode node : List.copyOf(live.values())) {
      network.after(random.nextLong(TICK_NANOS), () -> tick(node));
      for (int thread = 0; thread < 2; thread++) {
        network.after(random.nextLong(100 * MILLIS), () -> callers.act(node));
      }
    }
    network.after(random.nextLong(300 * MILLIS), this::fault);
    if (migrating) {
      network.after(random.nextLong(300 * MILLIS), this::migrate);
    }
    long start = network.nowNanos();
    runUntil(start + FAULTS_NANOS);
    network.heal();
    // Orders may still be on their way to a node that did nothing for a while.
    network.after(700 * MILLIS, () -> director.cancelAll(live.keySet()));
    callers.slowDown();
    for (int i = 0; i < 40 && callers.busy(); i++) {
      runUntil(network.nowNanos() + 250 * MILLIS);
    }
    runUntil(network.nowNanos() + 1_500 * MILLIS);
    new CalmCluster(live, shutOut, table, space, lostSegments, callers.histories()).check();
  }

  private void runUntil(long nanos) {
    boolean more = true;
    while (more) {
      more = network.step(nanos);
    }
  }

  private void tick(SimulatedNode node) {
    if (live.get(node.id) == node && network.pausedNanos(node.id) > 0) {
      network.after(network.pausedNanos(node.id), () -> tick(node));
    } else if (live.get(node.id) == node) {
      tokens.renew(node, () -> shutOut.contains(node.id) ? null : table);
      node.exchange.tick(network.nowNanos());
      node.upkeep.expire(8);
      node.upkeep.maintain(2);
      network.after(TICK_NANOS, () -> tick(node));
    }
  }

  // ---- The coordinator

  private void publish() {
    SegmentTable published = table;
    for (SimulatedNode node : live.values()) {
      if (!shutOut.contains(node.id)) {
        network.after(random.nextLong(60 * MILLIS), () -> install(node, published));
      }
    }
  }

  private void install(SimulatedNode node, SegmentTable published) {
    if (network.pausedNanos(node.id) > 0) {
      network.after(
          network.pausedNanos(node.id) + random.nextLong(20 * MILLIS),
          () -> install(node, published));
    } else if (live.get(node.id) == node) {
      adopt(node, published);
    }
  }

  private void adopt(SimulatedNode node, SegmentTable newer) {
    SegmentTable present = node.exchange.lanes().table();
    SegmentTable before = predecessors.get(newer.epoch());
    if (present != null && before != null && present.epoch() == before.epoch()) {
      node.exchange.tableChanged(newer, Tables.changed(before, newer));
    } else {
      node.exchange.tableChanged(newer);
    }
  }

  private void seal() {
    if (!table.sealed()) {
      become(Tables.sealed(table));
    }
  }

  // ---- Faults

  private void fault() {
    if (network.nowNanos() > 1_000 * MILLIS + FAULTS_NANOS) {
      return;
    }
    List<NodeId> ids = new ArrayList<>(live.keySet());
    ids.sort(null);
    NodeId one = ids.get(random.nextInt(ids.size()));
    NodeId other = ids.get(random.nextInt(ids.size()));
    switch (random.nextInt(9)) {
      case 0 -> crash(one);
      case 1, 2 -> shutOut(one);
      case 3 -> {
        if (table.sealed()) {
          become(Tables.rotated(table));
        }
      }
      case 4 -> network.swallow(one, other, random.nextLong(300 * MILLIS));
      case 5 -> network.slow(one, random.nextLong(100 * MILLIS), random.nextLong(500 * MILLIS));
      default -> network.cut(one, other, random.nextLong(300 * MILLIS));
    }
    network.after(random.nextLong(300 * MILLIS), this::fault);
  }

  private void crash(NodeId id) {
    if (crashesLeft > 0) {
      crashesLeft--;
      callers.crashed(live.remove(id));
      network.crash(id);
      network.after(random.nextLong(150 * MILLIS), () -> remove(id));
    }
  }

  /** The node goes on with its old table, while all others go on without it. */
  private void shutOut(NodeId id) {
    if (crashesLeft > 0 && (stubborn || random.nextBoolean())) {
      crashesLeft--;
      shutOut.add(id);
      remove(id);
    }
  }

  private void remove(NodeId id) {
    if (table.member(id) != null) {
      become(Tables.without(table, id));
      noteLosses();
    }
  }

  /** What nobody has any more may be gone: as many nodes were lost as a segment has owners. */
  private void noteLosses() {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      for (String cache : Workload.CACHES) {
        int of = segment;
        boolean kept =
            live.values().stream()
                .filter(this::takesPart)
                .anyMatch(node -> node.hasAll(cache, of) && isLatest(node, cache, of));
        if (table.sealed() && !kept) {
          lostSegments.add(segment);
        }
      }
    }
  }

  private boolean takesPart(SimulatedNode node) {
    return !shutOut.contains(node.id);
  }

  /**
   * Whether what a node has, as an owner or a former one, is all that was acknowledged: somebody of
   * each row of owners since the last that served as far as it knows must be left.
   */
  private boolean isLatest(SimulatedNode node, String cache, int segment) {
    SegmentTable at = table;
    long known = node.servedTerm(cache, segment);
    while (!table.isOwner(segment, node.id) && at != null && at.segmentEpoch(segment) > known) {
      List<NodeId> row = at.owners(segment);
      if (!row.isEmpty()
          && row.stream().noneMatch(id -> live.containsKey(id) && takesPart(live.get(id)))) {
        return false;
      }
      at = predecessors.get(at.epoch());
    }
    return true;
  }

  /**
   * Operations that ended with a result, unknown, and refused; so that a test can see it is real.
   */
  int[] counts() {
    return new int[] {
      callers.done,
      callers.unknown,
      callers.refused,
      director.committed,
      director.failed,
      lostSegments.size()
    };
  }
}
