package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Entries that are there for a time only: on all nodes as long as they should, whatever their wall
 * clocks say, and on none any longer.
 */
public final class Fleeting {
  private static final long TOLERANCE_MILLIS = Write.TOLERANCE_NANOS / SimulatedTime.MILLI;
  private static final long LIFESPAN_MILLIS = 20_000;

  /** After so long they must be gone everywhere. */
  public static final long GONE_MILLIS = LIFESPAN_MILLIS + 2 * TOLERANCE_MILLIS;

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
    workload
        .calls()
        .watch(
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
    workload
        .calls()
        .watch(
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

  /**
   * Somebody begins to read them on a node, and goes on when their time is up: what has been sent
   * to it meanwhile must not be handed on any more.
   */
  public Slow read(SimulatedNode node) {
    Slow slow = new Slow(node);
    node.run(() -> node.engine.open(CACHE).stream().entries().subscribe(slow));
    return slow;
  }

  /** One that reads an entry and waits. */
  public final class Slow implements Subscriber<Map.Entry<String, Integer>> {
    private final SimulatedNode node;
    private @Nullable Subscription subscription;
    private boolean over;

    Slow(SimulatedNode node) {
      this.node = node;
    }

    /** Reads the rest. */
    public void goOn() {
      node.run(
          () -> {
            Subscription present = subscription;
            if (present != null) {
              present.request(Long.MAX_VALUE);
            }
          });
    }

    /** Whether it has heard the end, or nobody is there to hear it. */
    public boolean ended() {
      return over || !node.alive;
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(Map.Entry<String, Integer> entry) {
      Life life = lives.get(entry.getKey());
      long latest =
          life == null
              ? Long.MAX_VALUE
              : life.acknowledgedNanos + nanos(LIFESPAN_MILLIS + TOLERANCE_MILLIS);
      if (world.time.nanoTime() > latest) {
        String text = entry.getKey() + " had expired when it arrived on " + world.name(node);
        world.fail(new AssertionError(text));
      }
    }

    @Override
    public void onError(Throwable error) {
      over = true;
      if (!(error instanceof StreamInterruptedException) && node.alive) {
        world.fail(error);
      }
    }

    @Override
    public void onComplete() {
      over = true;
    }
  }

  private static long nanos(long millis) {
    return millis * SimulatedTime.MILLI;
  }
}
