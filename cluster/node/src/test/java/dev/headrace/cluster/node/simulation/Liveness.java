package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.node.simulation.oracle.StreamReader;
import dev.headrace.cluster.node.simulation.oracle.StreamReader.Mood;
import dev.headrace.cluster.node.simulation.oracle.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds a cluster to going on. All nodes that nothing has happened to read, write and stream all
 * the time; what begins later than a fault's budget after it has to succeed, and soon.
 */
final class Liveness {
  private static final long PROBE_MILLIS = 100;
  private static final long STREAM_MILLIS = 700;
  private static final long MOST_MILLIS = 1_000;
  private static final long MOST_STREAM_MILLIS = 4_000;
  private static final long LIFE_MILLIS = 20_000;
  private static final int KEYS = 24;

  private final World world;
  private final SimulatedTime time;
  private final Workload workload;
  private final List<Probe> operations = new ArrayList<>();
  private final List<Run> streams = new ArrayList<>();
  private final Set<SimulatedNode> exempt = new HashSet<>();
  private IntPredicate reachable = segment -> true;
  private boolean watching;
  private boolean streaming = true;
  private long endMillis;
  private long demandedFromNanos;
  private String disturbance = "nothing";
  private int succeeded;

  /** One operation under way. */
  private record Probe(SimulatedNode node, String what, long startNanos) {}

  /** One stream under way. */
  private record Run(StreamReader reader, long startNanos) {}

  Liveness(World world, Workload workload) {
    this.world = world;
    this.time = world.time;
    this.workload = workload;
  }

  /** From now on everything has to go on. */
  void watch() {
    watching = true;
    lastFor(LIFE_MILLIS);
    for (int i = 0; i < KEYS; i++) {
      SimulatedNode node = world.anyReady();
      if (node != null) {
        workload.put(node, key(i));
      }
    }
    disturbed("the first writes", 2_000);
    time.schedule(PROBE_MILLIS * SimulatedTime.MILLI, this::probe);
    time.schedule(STREAM_MILLIS * SimulatedTime.MILLI, this::stream);
  }

  void unwatch() {
    watching = false;
  }

  /** Operations that were begun when they had to succeed, and did. */
  int succeeded() {
    return succeeded;
  }

  /** Something happens, whose consequences have to be over after a while. */
  void disturbed(String what, long budgetMillis) {
    world.trace(() -> what + ": everything has to go on after " + budgetMillis + " ms");
    disturbance = what;
    demandedFromNanos =
        Math.max(demandedFromNanos, time.nanoTime() + budgetMillis * SimulatedTime.MILLI);
  }

  /** Of these nodes nothing is demanded: they have no quorum, or do not run. */
  void exempt(Set<SimulatedNode> nodes) {
    exempt.addAll(nodes);
  }

  /** Of this node everything is demanded again. */
  void holdAgain(SimulatedNode node) {
    exempt.remove(node);
  }

  /** Nothing is demanded of segments without an owner in reach, nor of streams that read all. */
  void demandOnly(IntPredicate segments) {
    reachable = segments;
    streaming = false;
  }

  /** Everything is demanded of everybody again after a while. */
  void demandAll(String what, long budgetMillis) {
    exempt.clear();
    reachable = segment -> true;
    streaming = true;
    disturbed(what, budgetMillis);
  }

  /** So long after its beginning a life with one fault is over. */
  long endMillis() {
    return endMillis;
  }

  /** The life ends no earlier than so long after now. */
  void lastFor(long millis) {
    endMillis = Math.max(endMillis, time.nanoTime() / SimulatedTime.MILLI + millis);
  }

  private static String key(int number) {
    return "probe-" + number;
  }

  private void probe() {
    if (!watching) {
      return;
    }
    operations.forEach(probe -> checkTime(probe.node, probe.what, probe.startNanos, MOST_MILLIS));
    streams.forEach(
        run -> checkTime(run.reader.node(), "a stream", run.startNanos, MOST_STREAM_MILLIS));
    streams.removeIf(run -> run.reader.ended());
    for (SimulatedNode node : sound()) {
      String key = key(time.random.nextInt(KEYS));
      if (reachable.test(workload.segment(key))) {
        node.run(() -> begin(node, key));
      }
    }
    time.schedule(PROBE_MILLIS * SimulatedTime.MILLI, this::probe);
  }

  private List<SimulatedNode> sound() {
    return world.ready().stream()
        .filter(node -> !exempt.contains(node) && !node.paused() && !world.dangers.isLeaving(node))
        .toList();
  }

  private void begin(SimulatedNode node, String key) {
    boolean write = time.onceIn(3);
    Probe probe = new Probe(node, (write ? "a write of " : "a read of ") + key, time.nanoTime());
    operations.add(probe);
    CompletionStage<?> stage = write ? workload.put(node, key) : workload.get(node, key);
    stage.whenComplete((result, error) -> ended(probe, error));
  }

  private void ended(Probe probe, @Nullable Throwable error) {
    operations.remove(probe);
    if (probe.startNanos >= demandedFromNanos && isHeld(probe.node)) {
      if (error == null) {
        succeeded++;
      } else {
        fail(probe.node, probe.what, "failed: " + error);
      }
    }
  }

  /** Whether a node still has to answer. */
  private boolean isHeld(SimulatedNode node) {
    return watching && node.alive && !exempt.contains(node) && !world.dangers.isLeaving(node);
  }

  private void checkTime(SimulatedNode node, String what, long startNanos, long mostMillis) {
    long took = time.nanoTime() - startNanos;
    boolean demanded = startNanos >= demandedFromNanos && isHeld(node);
    if (demanded && took > mostMillis * SimulatedTime.MILLI) {
      fail(node, what, "has not ended");
    }
  }

  private void fail(SimulatedNode node, String what, String how) {
    long began = demandedFromNanos / SimulatedTime.MILLI;
    world.fail(
        new AssertionError(
            "%s on %s, which had to go on since %d ms after %s, %s"
                .formatted(what, world.name(node), began, disturbance, how)));
  }

  /** Somebody reads everything. */
  private void stream() {
    if (!watching) {
      return;
    }
    List<SimulatedNode> sound = sound();
    if (!sound.isEmpty() && streaming) {
      SimulatedNode node = sound.get(time.random.nextInt(sound.size()));
      node.run(
          () -> {
            StreamReader reader = new StreamReader(world, workload, node, Set.of(), Mood.KEEN);
            streams.add(new Run(reader, time.nanoTime()));
          });
    }
    time.schedule(STREAM_MILLIS * SimulatedTime.MILLI, this::stream);
  }
}
