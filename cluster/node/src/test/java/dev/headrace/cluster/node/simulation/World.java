package dev.headrace.cluster.node.simulation;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.simulation.oracle.StreamBounds;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What nodes live in: time, a network, a membership protocol, and what is known about it all. */
public final class World {
  private static final Logger LOG = LoggerFactory.getLogger("headrace.trace");
  private static final boolean TRACE = Boolean.getBoolean("headrace.trace");
  private static final long WALL_MILLIS = 1_700_000_000_000L;

  public final SimulatedTime time;
  public final Map<NodeId, SimulatedNode> nodes = new LinkedHashMap<>();

  /** How often each fault has happened. */
  public final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

  final Network network;
  final Views views;
  final FaultInjector injector;
  final Dangers dangers;
  private final Lag lag;

  /** Time goes on in larger steps, where nothing much happens. */
  boolean coarse;

  /** Whether nodes may keep only little in memory for a segment. */
  boolean narrow;

  int carriedBytes;

  /** How far wall clocks may be wrong. */
  long wallErrorMillis;

  private final Engine.Maker maker;

  private @Nullable StreamBounds asking;
  private boolean streamsMayFail;
  private @Nullable Throwable failure;

  World(long seed, Engine.Maker maker) {
    this.time = new SimulatedTime(seed);
    this.maker = maker;
    this.network = new Network(this);
    this.views = new Views(this);
    this.injector = new FaultInjector(this);
    this.dangers = new Dangers(this);
    this.lag = new Lag(this);
  }

  // ---- Checks

  /** Something went wrong; the run ends with it as soon as somebody checks something. */
  public void fail(Throwable error) {
    if (failure == null) {
      failure = error;
    }
  }

  public void check(boolean condition, String message) {
    check(condition, () -> message);
  }

  public void check(boolean condition, Supplier<String> message) {
    throwFailure();
    if (!condition) {
      AssertionError error = new AssertionError(message.get());
      fail(error);
      throw error;
    }
  }

  void throwFailure() {
    if (failure != null) {
      throw new AssertionError(
          "the run failed at " + time.nanoTime() / SimulatedTime.MILLI + " ms: " + failure,
          failure);
    }
  }

  /** A fault has happened, not only been planned. */
  public void count(Fault fault) {
    happened.merge(fault, 1, Integer::sum);
    trace(() -> "fault " + fault);
  }

  /** With {@code -Dheadrace.trace=true} a run tells what happens. */
  public void trace(Supplier<String> what) {
    if (TRACE) {
      LOG.info(time.nanoTime() / 1000 + " us: " + what.get());
    }
  }

  /** What may fail without breaking a promise. */
  public Dangers dangers() {
    return dangers;
  }

  /** Whether nodes were cut off from others, so that a stream may have had nobody to ask. */
  public boolean streamsMayFail() {
    return streamsMayFail;
  }

  void letStreamsFail() {
    streamsMayFail = true;
  }

  /** A stream works: what is asked for meanwhile counts as its own. */
  public void runFor(StreamBounds stream, Runnable work) {
    StreamBounds before = asking;
    asking = stream;
    try {
      work.run();
    } finally {
      asking = before;
    }
    stream.check();
  }

  /** The stream that works at this moment; null for none, or one that is not counted. */
  @Nullable StreamBounds asking() {
    return asking;
  }

  // ---- Nodes

  /** Starts a node; it finds whoever is in its part of the network. */
  SimulatedNode start(NodeSettings settings) {
    NodeId id = new NodeId(time.random.nextLong(), time.random.nextLong());
    SimulatedNode node = new SimulatedNode(this, id, settings, maker);
    nodes.put(id, node);
    trace(() -> "start " + name(node));
    views.started(node);
    return node;
  }

  List<SimulatedNode> living() {
    return nodes.values().stream().filter(node -> node.alive).toList();
  }

  /** Those that have joined and are still there. */
  public List<SimulatedNode> ready() {
    return nodes.values().stream().filter(SimulatedNode::ready).toList();
  }

  /** One that has joined; null if there is none. */
  public @Nullable SimulatedNode anyReady() {
    List<SimulatedNode> ready = ready();
    return ready.isEmpty() ? null : ready.get(time.random.nextInt(ready.size()));
  }

  /** A node stops at once; the others notice it on their connections first, then in a view. */
  void crash(SimulatedNode node) {
    if (!node.alive) {
      return;
    }
    trace(() -> "crash " + name(node));
    node.alive = false;
    network.nodeGone(node.id);
    dangers.crashed(node);
    views.crashed(node);
  }

  /** The node is told that it is no longer part of the cluster: its process ends in order. */
  void ended(SimulatedNode node) {
    String reason = node.engine.ended();
    trace(() -> "ended " + name(node) + ": " + reason);
    node.engine.close();
    node.alive = false;
    network.nodeGone(node.id);
    views.left(node);
    dangers.ended(node, String.valueOf(reason));
  }

  void installed(SimulatedNode node, SegmentTable table) {
    trace(() -> "installed " + name(node) + " " + Long.toHexString(table.epoch()));
    lag.installed();
    dangers.installed(table);
    injector.installed(node);
  }

  /** Since when nodes have been behind the others. */
  public Lag lag() {
    return lag;
  }

  /** The name of a node, or its identity if the table does not have it. */
  public String name(@Nullable SimulatedNode node) {
    return node == null ? "nobody" : node.settings.nodeName();
  }

  /** The newest table that any living node has in force. */
  public @Nullable SegmentTable newestTable() {
    SegmentTable newest = null;
    for (SimulatedNode node : living()) {
      SegmentTable table = node.engine.table();
      if (table != null && (newest == null || table.epoch() > newest.epoch())) {
        newest = table;
      }
    }
    return newest;
  }

  /** Whether all living nodes have one table, in which these are, too, as far as they live. */
  boolean agreesOn(Set<NodeId> ids) {
    SegmentTable newest = newestTable();
    return newest != null
        && living().stream()
            .map(node -> node.engine.table())
            .allMatch(table -> table != null && table.epoch() == newest.epoch())
        && ids.stream().allMatch(id -> !nodes.get(id).alive || newest.member(id) != null);
  }

  /**
   * Two nodes do not reach each other, but everybody else. The one that decides is heard all the
   * same: else the membership protocol would notice.
   */
  void cutBetween(SimulatedNode one, SimulatedNode other) {
    trace(() -> "cut between " + name(one) + " and " + name(other));
    SimulatedNode decides = coordinator();
    network.cutBetween(one, other, decides != one && decides != other);
  }

  /** Whether one of these lives and is not in the newest table. */
  boolean anySetAside(Set<NodeId> ids) {
    SegmentTable newest = newestTable();
    return newest != null
        && ids.stream().anyMatch(id -> nodes.get(id).alive && newest.member(id) == null);
  }

  /** The node that decides on the newest table; null if nobody knows. */
  @Nullable SimulatedNode coordinator() {
    for (SimulatedNode node : living()) {
      if (node.ready() && node.id.equals(node.engine.coordinator())) {
        return node;
      }
    }
    return null;
  }

  /** A wall clock that may be wrong by years. */
  long wallMillis() {
    if (wallErrorMillis == 0) {
      return WALL_MILLIS + time.nanoTime() / SimulatedTime.MILLI;
    }
    count(Fault.CLOCK_JUMPED);
    return WALL_MILLIS + (long) ((time.random.nextDouble() - 0.5) * 2 * wallErrorMillis);
  }
}
