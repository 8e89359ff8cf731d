package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Random reads and writes from all nodes, each checked against what may be seen of its key. */
public final class Workload {
  public static final String CACHE_NAME = "simulated";

  static final CacheSettings<String, Integer> CACHE =
      CacheSettings.of(CACHE_NAME, String.class, Integer.class);

  private final World world;
  private final SimulatedTime time;
  private final Map<String, KeyHistory> histories = new LinkedHashMap<>();
  private final KeySegments segments;
  private final Map<String, Integer> lastSeen = new HashMap<>();
  private int lastValue;
  private int outstanding;
  private int unknown;
  private int acknowledged;

  public Workload(World world) {
    this.world = world;
    this.time = world.time;
    this.segments = new KeySegments(world);
  }

  static Cache<String, Integer> cacheOn(SimulatedNode node) {
    return node.engine.open(CACHE);
  }

  /** Operations that have not ended, on nodes that live. */
  public int outstanding() {
    return outstanding;
  }

  /** Writes that nobody knows whether they were carried out. */
  public int unknown() {
    return unknown;
  }

  /** Operations that were carried out. */
  public int acknowledged() {
    return acknowledged;
  }

  public Set<String> keys() {
    return histories.keySet();
  }

  /** The content of these segments may be gone from now on. */
  public void mayBeLost(BitSet lost) {
    histories.forEach(
        (key, history) -> {
          if (lost.get(segment(key))) {
            history.mayBeLost(time.nanoTime());
          }
        });
  }

  /** The segment that a key falls into. */
  int segment(String key) {
    return segments.of(key);
  }

  KeyHistory history(String key) {
    return histories.computeIfAbsent(key, KeyHistory::new);
  }

  // ---- Operations

  /** One random operation on a key. */
  public void operate(SimulatedNode node, String key) {
    switch (time.random.nextInt(12)) {
      case 0, 1 -> put(node, key);
      case 2 -> getAndPut(node, key);
      case 3 -> remove(node, key);
      case 4 -> putIfAbsent(node, key);
      case 5 -> replace(node, key);
      case 6 -> exchange(node, key);
      case 7 -> increment(node, key);
      case 8 -> putAll(node, some(key, key.substring(0, key.indexOf('-'))));
      case 9 -> getAll(node, some(key, ""));
      default -> get(node, key);
    }
  }

  public void get(SimulatedNode node, String key) {
    long start = time.nanoTime();
    watch(node, async(node).get(key), value -> look(node, key, value, start, "get"), null);
  }

  /** A key twice, and some others that begin alike. */
  private List<String> some(String key, String beginning) {
    List<String> some = new ArrayList<>(List.of(key, key));
    for (String other : keys()) {
      if (other.startsWith(beginning) && time.random.nextInt(4) == 0) {
        some.add(other);
      }
    }
    return some;
  }

  private void getAll(SimulatedNode node, List<String> keys) {
    long start = time.nanoTime();
    watch(
        node,
        async(node).getAll(keys),
        found -> keys.forEach(key -> look(node, key, found.get(key), start, "getAll")),
        null);
  }

  /** If it fails, each of the writes may have been carried out. */
  private void putAll(SimulatedNode node, List<String> keys) {
    Map<String, Integer> values = new LinkedHashMap<>();
    List<Write> writes = new ArrayList<>();
    for (String key : new LinkedHashSet<>(keys)) {
      values.put(key, ++lastValue);
      writes.add(begin(key, Write.Kind.PUT, null, lastValue));
    }
    watch(
        node,
        async(node).putAll(values),
        done -> writes.forEach(write -> acknowledge(write, true)),
        null);
  }

  /**
   * Reads a key as far as the node can tell at once, by itself: what it would have to ask others
   * for is not waited for.
   */
  public void peek(SimulatedNode node, String key) {
    peek(node, key, () -> cacheOn(node).get(key), "a quick get");
    peek(node, key, () -> cacheOn(node).getAll(List.of(key)).get(key), "a quick getAll");
  }

  private void peek(SimulatedNode node, String key, Supplier<@Nullable Integer> read, String how) {
    long start = time.nanoTime();
    Thread.currentThread().interrupt();
    try {
      look(node, key, read.get(), start, how);
    } catch (HeadraceException notAtOnce) {
      world.trace(() -> key + " cannot be read at once on " + world.name(node));
    } catch (AssertionError e) {
      world.fail(e);
    } finally {
      boolean interrupted = Thread.interrupted();
      world.check(interrupted, how + " waited");
    }
  }

  public void put(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(key, Write.Kind.PUT, null, value);
    watch(node, async(node).put(key, value), done -> acknowledge(write, true), write);
  }

  private void getAndPut(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(key, Write.Kind.PUT, null, value);
    watch(
        node,
        async(node).getAndPut(key, value),
        before -> {
          write.found(before);
          acknowledge(write, true);
        },
        write);
  }

  private void remove(SimulatedNode node, String key) {
    Write write = begin(key, Write.Kind.REMOVE, null, null);
    watch(node, async(node).remove(key), present -> acknowledge(write, present), write);
  }

  private void putIfAbsent(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(key, Write.Kind.PUT_IF_ABSENT, null, value);
    watch(
        node,
        async(node).putIfAbsent(key, value),
        present -> {
          write.found(present);
          acknowledge(write, present == null);
          checkFound(node, key, present, write, "putIfAbsent");
        },
        write);
  }

  private void replace(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(key, Write.Kind.REPLACE_IF_PRESENT, null, value);
    watch(
        node,
        async(node).replace(key, value),
        before -> {
          write.found(before);
          acknowledge(write, before != null);
          checkFound(node, key, before, write, "replace");
        },
        write);
  }

  /** Replaces or removes what somebody has seen last, if it is still there. */
  private void exchange(SimulatedNode node, String key) {
    Integer expected = lastSeen.get(key);
    if (expected == null) {
      get(node, key);
    } else if (time.random.nextBoolean()) {
      int value = ++lastValue;
      Write write = begin(key, Write.Kind.REPLACE_IF_EQUAL, expected, value);
      watch(
          node,
          async(node).replace(key, expected, value),
          applied -> acknowledge(write, applied),
          write);
    } else {
      Write write = begin(key, Write.Kind.REMOVE_IF_EQUAL, expected, null);
      watch(node, async(node).remove(key, expected), applied -> acknowledge(write, applied), write);
    }
  }

  /** A computation: its function may run more than once, but only one result may stay. */
  private void increment(SimulatedNode node, String key) {
    long start = time.nanoTime();
    Map<Integer, Write> tried = new HashMap<>();
    CompletionStage<@Nullable Integer> stage =
        async(node)
            .compute(
                key,
                (same, present) -> {
                  tried.values().forEach(Write::refused);
                  look(node, key, present, start, "compute");
                  int next = ++lastValue;
                  Write.Kind kind =
                      present == null ? Write.Kind.PUT_IF_ABSENT : Write.Kind.REPLACE_IF_EQUAL;
                  tried.put(next, begin(key, kind, present, next));
                  return next;
                });
    watch(
        node,
        stage,
        value -> {
          Write write = tried.get(value);
          if (write == null) {
            throw new AssertionError("compute returned " + value + ", which it never computed");
          }
          acknowledge(write, true);
        },
        null);
  }

  private static AsyncCache<String, Integer> async(SimulatedNode node) {
    return cacheOn(node).async();
  }

  private Write begin(
      String key, Write.Kind kind, @Nullable Integer expected, @Nullable Integer value) {
    return history(key).begin(kind, expected, value, time.nanoTime());
  }

  private void acknowledge(Write write, boolean applied) {
    write.acknowledged(time.nanoTime(), applied);
  }

  private void look(
      SimulatedNode node, String key, @Nullable Integer value, long start, String how) {
    lastSeen.put(key, value);
    history(key).seen(value, start, time.nanoTime(), how + " on " + world.name(node));
  }

  private void checkFound(
      SimulatedNode node, String key, @Nullable Integer present, Write write, String how) {
    if (present != null) {
      look(node, key, present, write.startNanos, how);
    }
  }

  // ---- Ends

  <R> void watch(
      SimulatedNode node,
      CompletionStage<R> stage,
      Consumer<@Nullable R> check,
      @Nullable Write write) {
    Pending pending = new Pending(node);
    outstanding++;
    pending.giveUpWithNode();
    stage.whenComplete(
        (result, error) -> {
          pending.end();
          try {
            judge(result, error, check, write);
          } catch (AssertionError e) {
            world.fail(e);
          }
        });
  }

  private <R> void judge(
      @Nullable R result,
      @Nullable Throwable error,
      Consumer<@Nullable R> check,
      @Nullable Write write) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause == null) {
      acknowledged++;
      check.accept(result);
    } else if (cause instanceof UnavailableException) {
      if (write != null) {
        write.refused();
      }
    } else if (cause instanceof OutcomeUnknownException || cause instanceof NodeClosedException) {
      unknown += write == null ? 0 : 1;
    } else {
      world.fail(cause);
    }
  }

  /** An operation whose node may crash, after which nobody waits for it any more. */
  private final class Pending {
    private final SimulatedNode node;
    private boolean ended;

    Pending(SimulatedNode node) {
      this.node = node;
    }

    void end() {
      if (!ended) {
        ended = true;
        outstanding--;
      }
    }

    void giveUpWithNode() {
      time.schedule(
          50 * SimulatedTime.MILLI,
          () -> {
            if (!node.alive) {
              end();
            } else if (!ended) {
              giveUpWithNode();
            }
          });
    }
  }

  // ---- The end of all

  /** Reads a key that nobody writes any more, and checks all that was ever done to it. */
  public void settle(SimulatedNode node, String key) {
    long start = time.nanoTime();
    watch(
        node,
        async(node).get(key),
        value -> {
          look(node, key, value, start, "the last get");
          history(key).inOrder(value);
        },
        null);
  }
}
