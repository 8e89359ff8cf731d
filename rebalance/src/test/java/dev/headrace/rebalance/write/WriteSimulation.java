package dev.headrace.rebalance.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.FillReport;
import dev.headrace.rebalance.message.Message;
import dev.headrace.rebalance.message.Operation.Kind;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.caller.Completion;
import dev.headrace.rebalance.write.caller.Failure;
import dev.headrace.rebalance.write.caller.Request;
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
  private static final int SEGMENTS = 4;
  private static final int KEYS = 8;
  private static final int EXPIRING_KEY = 1000;
  private static final int MAX_STEPS_PER_KEY = 40;
  private static final long MILLIS = 1_000_000L;
  private static final long TIMEOUT_NANOS = 4_000 * MILLIS;
  private static final long FAULTS_NANOS = 2_500 * MILLIS;
  private static final long TICK_NANOS = 10 * MILLIS;

  private final SplittableRandom random;
  private final boolean disorderly;
  private final boolean stubborn;
  private final SimulatedNetwork network;
  private final HashSpace space;
  private final Map<NodeId, SimulatedNode> live = new HashMap<>();
  private final Set<NodeId> shutOut = new HashSet<>();
  private final KeyHistory[] histories = new KeyHistory[KEYS];
  private final Map<String, Integer> versions = new HashMap<>();
  private final int dataNodes;
  private final boolean leases;
  private final boolean migrating;
  private final SimulatedDirector director;
  private final SimulatedLeases tokens;
  private final Map<Long, SegmentTable> predecessors = new HashMap<>();
  private final Set<Integer> lostSegments = new HashSet<>();
  private SegmentTable table;
  private int crashesLeft;
  private int operationsLeft;
  private int underWay;
  private int lastValue;
  private int done;
  private int unknown;
  private int refused;

  WriteSimulation(long seed) {
    random = new SplittableRandom(seed);
    disorderly = random.nextInt(3) > 0;
    stubborn = random.nextInt(3) == 0;
    network = new SimulatedNetwork(random.split(), disorderly);
    dataNodes = 3 + random.nextInt(3);
    int callers = random.nextInt(2);
    int owners = 1 + random.nextInt(3);
    operationsLeft = 80 + random.nextInt(100);
    crashesLeft = random.nextInt(dataNodes);
    table = Tables.unsealed(dataNodes, callers, SEGMENTS, owners);
    leases = random.nextBoolean();
    migrating = random.nextInt(4) > 0;
    director = new SimulatedDirector(random.split(), network, live);
    tokens = new SimulatedLeases(random.split(), network);
    space = new HashSpace(table.segments(), table.hashSeed());
    boolean narrow = random.nextInt(migrating ? 6 : 2) == 0;
    for (int i = 0; i < dataNodes + callers; i++) {
      add(Tables.node(i), narrow);
    }
    for (int key = 0; key < KEYS; key++) {
      histories[key] = new KeyHistory();
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
        network.after(random.nextLong(100 * MILLIS), () -> act(node));
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
    operationsLeft = Math.min(operationsLeft, 20);
    for (int i = 0; i < 40 && (underWay > 0 || operationsLeft > 0); i++) {
      runUntil(network.nowNanos() + 250 * MILLIS);
    }
    runUntil(network.nowNanos() + 1_500 * MILLIS);
    new CalmCluster(live, shutOut, table, space, lostSegments, List.of(histories)).check();
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
      // Its callers will never hear of their operations.
      underWay -= live.remove(id).exchange.caller().outstanding();
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
                .filter(node -> !shutOut.contains(node.id))
                .anyMatch(node -> node.hasAll(cache, of));
        if (table.sealed() && !kept) {
          lostSegments.add(segment);
        }
      }
    }
  }

  // ---- Callers

  private void act(SimulatedNode node) {
    if (live.get(node.id) != node || operationsLeft <= 0) {
      return;
    }
    if (network.pausedNanos(node.id) > 0) {
      network.after(network.pausedNanos(node.id), () -> act(node));
      return;
    }
    operationsLeft--;
    int choice = random.nextInt(100);
    int key = random.nextInt(KEYS);
    if (choice < 2) {
      clear(node, random.nextInt(SEGMENTS), random.nextInt(Workload.CACHES.size()));
    } else if (choice < 8) {
      putExpiring(node);
    } else if (choice < 40 || histories[key].size() > MAX_STEPS_PER_KEY) {
      get(node, key);
    } else {
      mutate(node, key, Workload.blindKind(random), -1, 0, 0);
    }
  }

  private void pause(SimulatedNode node) {
    network.after(random.nextLong(30 * MILLIS), () -> act(node));
  }

  private void clear(SimulatedNode node, int segment, int cache) {
    List<KeyHistory.Step> steps = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      if (segment(key) == segment && key % Workload.CACHES.size() == cache) {
        steps.add(histories[key].begin(Kind.CLEAR, 0, 0, network.nowNanos()));
      }
    }
    submit(node, Request.clear(Workload.CACHES.get(cache), 0, segment), steps, -1);
  }

  private void putExpiring(SimulatedNode node) {
    Request request =
        Request.set(
            Kind.PUT,
            Workload.CACHES.get(0),
            0,
            Workload.key(EXPIRING_KEY + random.nextInt(3)),
            new byte[5],
            network.nowMillis() + 1 + random.nextInt(300),
            false);
    submit(node, request, List.of(), -1);
  }

  private void get(SimulatedNode node, int key) {
    long begin = network.nowNanos();
    underWay++;
    node.exchange
        .caller()
        .submit(
            Request.get(Workload.cacheOf(key), 0, Workload.key(key), true),
            TIMEOUT_NANOS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                underWay--;
                int value = reply.value() == null ? 0 : Workload.number(reply.value());
                checkRead(key, value, begin);
                checkVersion(key, value, reply);
                if (random.nextBoolean() && histories[key].size() <= MAX_STEPS_PER_KEY) {
                  Kind kind =
                      random.nextInt(3) == 0 ? Kind.REMOVE_IF_VERSION : Kind.REPLACE_IF_VERSION;
                  network.after(
                      random.nextLong(10 * MILLIS),
                      () ->
                          mutate(
                              node, key, kind, value, reply.versionTerm(), reply.versionCounter()));
                } else {
                  pause(node);
                }
              }

              @Override
              public void failed(Failure failure, String message) {
                underWay--;
                pause(node);
              }
            });
  }

  private void checkRead(int key, int value, long begin) {
    if (leases || (shutOut.isEmpty() && director.committed == 0)) {
      String objection = histories[key].objection(value, begin, network.nowNanos());
      if (lostSegments.contains(segment(key))) {
        return;
      }
      assertThat(objection).as("read of key %d: %s", key, histories[key]).isNull();
    }
  }

  /** A version names one value only. */
  private void checkVersion(int key, int value, OperationReply reply) {
    if (value != 0 && !lostSegments.contains(segment(key))) {
      String version = version(key, reply.versionTerm(), reply.versionCounter());
      Integer before = versions.put(version, value);
      assertThat(before).as("value of version %s", version).isIn(null, value);
    }
  }

  private String version(int key, long term, long counter) {
    return Workload.cacheOf(key) + segment(key) + ":" + term + ":" + counter;
  }

  private void mutate(
      SimulatedNode node, int key, Kind kind, int expectedValue, long term, long counter) {
    if (live.get(node.id) != node) {
      return;
    }
    int value = kind.writesValue() ? ++lastValue : 0;
    boolean equal = kind == Kind.REPLACE_IF_EQUAL || kind == Kind.REMOVE_IF_EQUAL;
    int expected = equal ? Math.max(1, lastValue - random.nextInt(12)) : expectedValue;
    KeyHistory.Step step = histories[key].begin(kind, value, expected, network.nowNanos());
    if (kind == Kind.REPLACE_IF_VERSION || kind == Kind.REMOVE_IF_VERSION) {
      step.version = version(key, term, counter);
    }
    Request request =
        new Request(
            kind,
            Workload.cacheOf(key),
            0,
            0,
            Workload.key(key),
            kind.writesValue() ? Workload.bytes(value) : null,
            equal ? Workload.bytes(expected) : null,
            term,
            counter,
            0,
            random.nextBoolean());
    submit(node, request, List.of(step), key);
  }

  private void submit(SimulatedNode node, Request request, List<KeyHistory.Step> steps, int key) {
    underWay++;
    node.exchange
        .caller()
        .submit(
            request,
            TIMEOUT_NANOS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                underWay--;
                done++;
                for (KeyHistory.Step step : steps) {
                  step.end = network.nowNanos();
                  step.answered = true;
                  step.applied = reply.applied();
                  step.previousKnown =
                      request.wantPrevious() && !(step.version != null && reply.applied());
                  step.previous = reply.value() == null ? 0 : Workload.number(reply.value());
                }
                if (key >= 0 && reply.applied() && request.kind().writesValue()) {
                  int value = steps.get(0).value;
                  checkVersion(key, value, reply);
                  histories[key].acknowledge(
                      value, version(key, reply.versionTerm(), reply.versionCounter()));
                }
                pause(node);
              }

              @Override
              public void failed(Failure failure, String message) {
                underWay--;
                if (failure == Failure.UNKNOWN || disorderly) {
                  unknown++;
                } else {
                  // Nothing was doubled, so that a refusal means that it has not happened.
                  refused++;
                  steps.forEach(step -> withdraw(step));
                }
                pause(node);
              }
            });
  }

  private void withdraw(KeyHistory.Step step) {
    for (KeyHistory history : histories) {
      history.cancel(step);
    }
  }

  /**
   * Operations that ended with a result, unknown, and refused; so that a test can see it is real.
   */
  int[] counts() {
    return new int[] {
      done, unknown, refused, director.committed, director.failed, lostSegments.size()
    };
  }

  private int segment(int key) {
    return space.segment(space.hash(Workload.key(key)));
  }
}
