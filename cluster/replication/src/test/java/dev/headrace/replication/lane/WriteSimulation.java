package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Replicate;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;

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

  private static final boolean TRACE = Boolean.getBoolean("headrace.trace");

  final SplittableRandom random;
  final boolean quiet;
  private final boolean stubborn;
  final SimulatedNetwork network;
  final HashSpace space;
  final Map<NodeId, LaneNode> live = new HashMap<>();
  final Set<NodeId> shutOut = new HashSet<>();
  private final int dataNodes;
  final boolean leases;
  private final boolean migrating;
  final SimulatedRebalancer rebalancer;
  private final SimulatedLeases tokens;

  /** So few that a segment has several ranges, or as many as usual. */
  private final int rangeBytes;

  private final Map<Long, SegmentTable> predecessors = new HashMap<>();
  final Set<Integer> lostSegments = new HashSet<>();
  private final AcknowledgedRows acknowledged = new AcknowledgedRows();
  private final Lifespans lifespans = new Lifespans();
  private final SimulatedCallers callers;
  private SegmentTable table;
  private final boolean singleFaults;

  /** So far the nodes' clocks are apart, at most. */
  private final int apartMillis;

  private final Set<NodeId> away = new HashSet<>();

  /** Their writes reach nobody until they crash. */
  private final Set<NodeId> unheard = new HashSet<>();

  private final List<SimulatedChanges> readers = new ArrayList<>();
  private final List<NodeId> clientIds = new ArrayList<>();
  private long troubleUntilNanos;
  private int crashesLeft;

  WriteSimulation(long seed) {
    this(seed, List.of());
  }

  /**
   * @param changed the caches of which somebody reads the changes
   */
  WriteSimulation(long seed, List<String> changed) {
    this(seed, changed, false);
  }

  /**
   * @param quiet whether little is written, and primaries die with writes that nobody else has
   */
  WriteSimulation(long seed, List<String> changed, boolean quiet) {
    this.quiet = quiet;
    random = new SplittableRandom(seed);
    boolean disorderly = random.nextInt(3) > 0;
    stubborn = random.nextInt(3) == 0;
    network = new SimulatedNetwork(random.split(), disorderly);
    dataNodes = 3 + random.nextInt(3);
    int clients = random.nextInt(3);
    int owners = 1 + random.nextInt(3);
    crashesLeft = random.nextInt(dataNodes);
    table = Tables.unwritten(dataNodes, clients, SEGMENTS, owners);
    acknowledged.made(table);
    leases = random.nextBoolean();
    migrating = random.nextInt(4) > 0;
    rebalancer = new SimulatedRebalancer(random.split(), network, live);
    tokens = new SimulatedLeases(random.split(), network);
    space = new HashSpace(table.segments(), table.hashSeed());
    int operations = quiet ? random.nextInt(20) : 80 + random.nextInt(100);
    callers = new SimulatedCallers(this, operations, lifespans);
    apartMillis = random.nextBoolean() ? 0 : 1 + random.nextInt(200);
    singleFaults = random.nextInt(4) == 0;
    rangeBytes = random.nextInt(4) == 0 ? 1 << 16 : 20 + random.nextInt(200);
    for (int i = dataNodes; i < dataNodes + clients; i++) {
      clientIds.add(Tables.node(i));
    }
    SplittableRandom ofReaders = new SplittableRandom(~seed);
    for (String cache : changed) {
      readers.add(new SimulatedChanges(this, ofReaders.split(), cache));
    }
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
            rangeBytes,
            rangeBytes % 3 * 40, // of some none, of some the smaller segments
            narrow ? 500 : ResultMemory.MAX_BYTES,
            narrow ? 2_000 : 1 << 20,
            true);
    long aheadMillis = (long) random.nextInt(apartMillis + 1) - apartMillis / 2;
    lifespans.clock(aheadMillis);
    LaneNode node =
        new LaneNode(
            settings,
            1 << 16,
            (to, message) -> send(id, to, message),
            () -> network.nowMillis() + aheadMillis,
            () -> network.after(random.nextLong(20 * MILLIS), this::firstWrite),
            newer -> noticed(id, newer));
    if (leases) {
      node.lease = () -> !table.written() || tokens.has(id);
    }
    node.coordinator = this::lost;
    node.exchange.reads().later = step -> later(node, step);
    SplittableRandom ofAnswers = new SplittableRandom(id.hashCode() ^ apartMillis);
    node.exchange.answerAside(
        task ->
            network.after(
                ofAnswers.nextBoolean() ? 0 : ofAnswers.nextLong(3 * MILLIS),
                () -> {
                  if (live.get(id) == node) {
                    task.run();
                  }
                }));
    node.exchange.onProcessors(
        new SimulatedProcessors(this, node, new SplittableRandom(id.hashCode())));
    node.busy = random.nextInt(3) == 0;
    node.exchange.observe(
        (to, message) -> {
          trace(() -> id + " to " + to + ": " + message);
          acknowledged.sent(to, message);
          checkBeginning(message);
        });
    live.put(id, node);
    network.add(node);
  }

  /** Without it somebody could not tell what was acknowledged from what never was. */
  private static void checkBeginning(Message message) {
    if (message instanceof History told && told.standing().content()) {
      assertThat(told.standing().beganUnder())
          .as("when the content began of which a node knows that says %s", told)
          .isPositive();
    }
  }

  /** A thread that serves reads does its next step, in a node that is still there. */
  private void later(LaneNode node, Runnable step) {
    network.after(
        random.nextInt(3) > 0 ? 0 : random.nextLong(5 * MILLIS),
        () -> {
          if (live.get(node.id) == node) {
            step.run();
          }
        });
  }

  private void lost(int segment, long segmentEpoch) {
    if (table.segmentEpoch(segment) == segmentEpoch) {
      assertThat(acknowledged.objection(segment, this::isGone))
          .as("segment %d is said to be lost, but", segment)
          .isNull();
    }
    network.after(
        random.nextLong(20 * MILLIS),
        () -> {
          if (table.segmentEpoch(segment) == segmentEpoch) {
            become(Tables.lost(table, segment));
          }
        });
  }

  /** The epoch at which a segment got the owners that it had under a table. */
  long ownersEpoch(int segment, long epoch) {
    return acknowledged.ownersEpoch(segment, epoch);
  }

  private boolean isGone(NodeId id) {
    return !live.containsKey(id) || shutOut.contains(id);
  }

  private void send(NodeId from, NodeId to, Message message) {
    if (message instanceof CopyStateReport report) {
      network.after(random.nextLong(20 * MILLIS), () -> rebalancer.reported(report));
    } else if (!(message instanceof Replicate && unheard.contains(from))) {
      network.send(from, to, message);
    }
  }

  // ---- Migrations

  private void migrate() {
    if (!table.written()) {
      network.after(20 * MILLIS, this::migrate);
      return;
    }
    if (network.nowNanos() < 1_000 * MILLIS + FAULTS_NANOS) {
      rebalancer.act(
          table,
          live.keySet().stream()
              .filter(id -> table.member(id) != null && table.member(id).holdsSegments())
              .sorted()
              .toList());
      Map<Integer, List<NodeId>> rows = rebalancer.commit(table);
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
          network.pause(owner, lasting(random.nextLong(500 * MILLIS)));
        }
      }
    }
    become(Tables.withRows(table, rows));
  }

  private void become(SegmentTable newer) {
    predecessors.put(newer.epoch(), table);
    acknowledged.made(newer);
    for (int segment = 0; segment < SEGMENTS; segment++) {
      if (newer.incarnation(segment) != table.incarnation(segment)) {
        lostSegments.add(segment);
        acknowledged.begunAnew(segment, newer);
        callers.lost(segment);
      }
    }
    table = newer;
    trace(newer::toString);
    for (int segment = 0; TRACE && segment < SEGMENTS; segment++) {
      int of = segment;
      trace(() -> "  segment %d.%d: %s".formatted(of, newer.incarnation(of), newer.owners(of)));
    }
    publish();
  }

  /** Tells somebody who looks into a seed what happens. */
  void trace(Supplier<String> line) {
    if (TRACE) {
      PrintStream out = System.out; // checkstyle: off RegexpSinglelineJava because it is asked for
      out.println(network.nowNanos() / 1_000 + " " + line.get());
    }
  }

  /** In a stubborn run a node that was shut out learns nothing of it. */
  private void noticed(NodeId id, SegmentTable newer) {
    if (!(stubborn && shutOut.contains(id))) {
      adopt(live.get(id), newer);
    }
  }

  /** Runs to the end and checks everything. */
  void run() {
    try {
      runToTheEnd();
    } finally {
      readers.forEach(SimulatedChanges::release);
    }
  }

  private void runToTheEnd() {
    publish();
    for (LaneNode node : List.copyOf(live.values())) {
      network.after(random.nextLong(TICK_NANOS), () -> tick(node));
      for (int thread = 0; thread < 2; thread++) {
        network.after(random.nextLong(100 * MILLIS), () -> callers.act(node));
      }
    }
    readers.forEach(reader -> network.after(100 * MILLIS, reader::begin));
    network.after(random.nextLong(300 * MILLIS), this::fault);
    if (migrating) {
      network.after(random.nextLong(300 * MILLIS), this::migrate);
    }
    long start = network.nowNanos();
    runUntil(start + FAULTS_NANOS);
    network.heal();
    // Orders may still be on their way to a node that did nothing for a while.
    network.after(700 * MILLIS, () -> rebalancer.cancelAll(live.keySet()));
    callers.slowDown();
    readers.forEach(SimulatedChanges::calm);
    for (int i = 0; i < 40 && callers.busy(); i++) {
      runUntil(network.nowNanos() + 250 * MILLIS);
    }
    for (LaneNode node : live.values()) {
      LaneWorkload.CACHES.forEach(cache -> node.exchange.lanes().store(cache));
    }
    runUntil(network.nowNanos() + 1_500 * MILLIS);
    new CalmCluster(live, shutOut, table, space, unaccountable(), callers.histories()).check();
    if (!readers.isEmpty()) {
      runUntil(network.nowNanos() + 4_000 * MILLIS);
      readers.forEach(this::checkReader);
    }
  }

  private void checkReader(SimulatedChanges reader) {
    Map<String, String> content = new TreeMap<>();
    Set<Integer> unowned = new HashSet<>();
    for (int segment = 0; table.written() && segment < SEGMENTS; segment++) {
      if (table.ownerCount(segment) == 0) {
        unowned.add(segment);
        continue;
      }
      LaneNode primary = live.get(table.owner(segment, 0));
      ByteBuffer entries = ByteBuffer.wrap(primary.content(reader.cache(), segment));
      EntryView view = new EntryView();
      for (int at = 0; at < entries.limit(); ) {
        at = view.parse(entries, at, entries.limit());
        content.put(
            SimulatedChanges.text(view.key(entries)), SimulatedChanges.text(view.value(entries)));
      }
    }
    reader.check(content, unowned);
  }

  List<SimulatedChanges> readers() {
    return readers;
  }

  /** An answer for one of the readers of changes. */
  void replied(ChangesReply reply) {
    readers.forEach(reader -> reader.replied(reply));
  }

  SegmentTable table() {
    return table;
  }

  long clusterId() {
    return table.clusterId();
  }

  /**
   * Lost segments whose operations nobody can account for: without leases, owners that are shut out
   * go on to acknowledge what is gone.
   */
  private Set<Integer> unaccountable() {
    return leases || shutOut.isEmpty() ? Set.of() : lostSegments;
  }

  private void runUntil(long nanos) {
    boolean more = true;
    while (more) {
      more = network.step(nanos);
    }
  }

  private void tick(LaneNode node) {
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
    for (LaneNode node : live.values()) {
      if (!shutOut.contains(node.id)) {
        network.after(random.nextLong(60 * MILLIS), () -> install(node, published));
      }
    }
  }

  private void install(LaneNode node, SegmentTable published) {
    if (network.pausedNanos(node.id) > 0) {
      network.after(
          network.pausedNanos(node.id) + random.nextLong(20 * MILLIS),
          () -> install(node, published));
    } else if (live.get(node.id) == node) {
      adopt(node, published);
    }
  }

  private void adopt(LaneNode node, SegmentTable newer) {
    trace(() -> node.id + " has " + newer);
    SegmentTable present = node.exchange.lanes().table();
    SegmentTable before = predecessors.get(newer.epoch());
    if (present != null && before != null && present.epoch() == before.epoch()) {
      node.exchange.tableChanged(newer, Tables.changed(before, newer));
    } else {
      node.exchange.tableChanged(newer);
    }
  }

  private void firstWrite() {
    if (!table.written()) {
      become(Tables.written(table));
    }
  }

  // ---- Faults

  private void fault() {
    long pauseNanos = random.nextLong(300 * MILLIS);
    if (singleFaults) {
      pauseNanos += 1_200 * MILLIS;
    }
    if (network.nowNanos() > 1_000 * MILLIS + FAULTS_NANOS) {
      return;
    }
    List<NodeId> ids = new ArrayList<>(live.keySet());
    ids.sort(null);
    NodeId one = ids.get(random.nextInt(ids.size()));
    NodeId other = ids.get(random.nextInt(ids.size()));
    if (quiet && random.nextInt(3) == 0) {
      dieUnheard(one);
      network.after(pauseNanos, this::fault);
      return;
    }
    switch (random.nextInt(12)) {
      case 0 -> crash(one);
      case 1, 2 -> shutOut(one);
      case 3 -> {
        if (table.written()) {
          become(Tables.rotated(table));
        }
      }
      case 4 -> network.swallow(one, other, lasting(random.nextLong(300 * MILLIS)));
      case 5 -> {
        long nanos = random.nextLong(500 * MILLIS);
        network.slow(one, random.nextLong(100 * MILLIS), lasting(nanos));
      }
      case 6 -> network.pause(one, lasting(random.nextLong(500 * MILLIS)));
      case 7 -> splitOff(one);
      case 8 -> sendAway();
      default -> network.cut(one, other, lasting(random.nextLong(300 * MILLIS)));
    }
    network.after(pauseNanos, this::fault);
  }

  /** A node writes what none but readers hear of, and crashes. */
  private void dieUnheard(NodeId id) {
    if (crashesLeft == 0 || !table.written()) {
      return;
    }
    readers.forEach(SimulatedChanges::beginAnew);
    long nanos = lasting(10 * MILLIS + random.nextLong(60 * MILLIS));
    unheard.add(id);
    callers.write(live.get(id));
    network.after(
        nanos,
        () -> {
          if (live.containsKey(id) && !shutOut.contains(id)) {
            crash(id);
          }
          unheard.remove(id);
        });
  }

  /** Nobody hears of a node for a while. */
  private void splitOff(NodeId id) {
    long nanos = lasting(random.nextLong(300 * MILLIS));
    trace(() -> id + " is split off");
    live.keySet().stream()
        .filter(other -> !other.equals(id))
        .sorted()
        .forEach(other -> network.cut(id, other, nanos));
  }

  /** A node that holds nothing is excluded, and admitted again after a while. */
  private void sendAway() {
    List<NodeId> present = clientIds.stream().filter(id -> table.member(id) != null).toList();
    if (present.isEmpty() || !table.written()) {
      return;
    }
    Member client = table.member(present.get(random.nextInt(present.size())));
    if (!live.containsKey(client.id()) || shutOut.contains(client.id())) {
      return;
    }
    trace(() -> client.id() + " is sent away");
    away.add(client.id());
    become(Tables.without(table, client.id()));
    network.after(
        lasting(random.nextLong(400 * MILLIS)),
        () -> {
          if (live.containsKey(client.id()) && table.member(client.id()) == null) {
            trace(() -> client.id() + " is back");
            become(Tables.with(table, client));
          }
          away.remove(client.id());
        });
  }

  /** Something goes wrong for so long. */
  long lasting(long nanos) {
    troubleUntilNanos = Math.max(troubleUntilNanos, network.nowNanos() + nanos);
    return nanos;
  }

  /** When the last fault is over, or the cluster has noticed it. */
  long troubleUntilNanos() {
    return troubleUntilNanos;
  }

  /** Whether a node is one of the cluster that has nothing to wait for. */
  boolean takesPart(NodeId id) {
    return live.containsKey(id) && !shutOut.contains(id) && !away.contains(id);
  }

  private void crash(NodeId id) {
    if (crashesLeft > 0) {
      trace(() -> id + " crashes");
      crashesLeft--;
      callers.crashed(live.remove(id));
      network.crash(id);
      readers.forEach(SimulatedChanges::crashed);
      network.after(lasting(random.nextLong(150 * MILLIS)), () -> remove(id));
    }
  }

  /** The node goes on with its old table, while all others go on without it. */
  private void shutOut(NodeId id) {
    if (crashesLeft > 0 && (stubborn || random.nextBoolean())) {
      crashesLeft--;
      trace(() -> id + " is shut out");
      lasting(0);
      shutOut.add(id);
      remove(id);
    }
  }

  private void remove(NodeId id) {
    if (table.member(id) != null) {
      become(Tables.without(table, id));
    }
  }

  /**
   * Operations that ended with a result, unknown, and refused; so that a test can see it is real.
   */
  int[] counts() {
    return new int[] {
      callers.done,
      callers.unknown,
      callers.refused,
      rebalancer.committed,
      rebalancer.failed,
      lostSegments.size(),
      callers.together,
      callers.processed,
      (int) (callers.longestNanos / MILLIS)
    };
  }
}
