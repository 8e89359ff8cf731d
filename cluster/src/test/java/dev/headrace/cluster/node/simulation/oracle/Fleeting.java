package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.CacheSettings;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Entries that are there for a time only: on all nodes as long as they should, whatever their wall
 * clocks say, and on none any longer.
 */
public final class Fleeting {
  /** After so long they must be gone everywhere. */
  public static final long GONE_MILLIS = 26_000;

  private static final long LIFESPAN_MILLIS = 20_000;

  /** Nodes' cluster times differ by at most the time that their first table was under way. */
  private static final long TOLERANCE_MILLIS = GONE_MILLIS - LIFESPAN_MILLIS;

  private static final CacheSettings<String, Integer> CACHE =
      CacheSettings.of("fleeting", String.class, Integer.class);

  private final World world;
  private final Workload workload;
  private final Map<String, Life> lives = new LinkedHashMap<>();
  private int puts;

  /** When an entry was put: it began to live in between. */
  private record Life(long beganNanos, long acknowledgedNanos) {}

  public Fleeting(World world, Workload workload) {
    this.world = world;
    this.workload = workload;
  }

  /** Whether there is anything to look at. */
  public boolean any() {
    return !lives.isEmpty();
  }

  public void put(SimulatedNode node) {
    String key = "fleeting-" + puts++;
    long began = world.time.nanoTime();
    workload.watch(
        node,
        node.engine.open(CACHE).async().put(key, puts, Duration.ofMillis(LIFESPAN_MILLIS)),
        done -> lives.put(key, new Life(began, world.time.nanoTime())),
        null);
  }

  /** Looks at all of them on a node. */
  public void look(SimulatedNode node) {
    lives.forEach((key, life) -> look(node, key, life));
  }

  private void look(SimulatedNode node, String key, Life life) {
    long asked = world.time.nanoTime();
    boolean mayBeLost = world.dangers().mayBeLost().get(workload.segment(key));
    workload.watch(
        node,
        node.engine.open(CACHE).async().get(key),
        value -> {
          long earliest = life.beganNanos + nanos(LIFESPAN_MILLIS - TOLERANCE_MILLIS);
          long latest = life.acknowledgedNanos + nanos(LIFESPAN_MILLIS + TOLERANCE_MILLIS);
          world.check(
              value != null || mayBeLost || world.time.nanoTime() >= earliest,
              () -> key + " has expired too early on " + world.name(node));
          world.check(
              value == null || asked <= latest,
              () -> key + " has not expired in time on " + world.name(node));
        },
        null);
  }

  private static long nanos(long millis) {
    return millis * SimulatedTime.MILLI;
  }
}
