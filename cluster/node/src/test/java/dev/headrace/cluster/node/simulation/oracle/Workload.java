package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random reads and writes of one cache from all nodes, each checked against what may be seen of its
 * key.
 */
public final class Workload {
  static final Codec<String> KEY_CODEC = Codecs.of(String.class);

  private static final Codec<Integer> VALUE_CODEC = new SizedCodec();

  /** Whether a key is among those of the argument, which commas divide. */
  static final FunctionName<String, Boolean> AMONG =
      FunctionName.of("among", Codecs.string(), Codecs.of(Boolean.class));

  /** What all nodes know. */
  public static NodeFunctions<String, Integer> functions() {
    return NodeFunctions.over(KEY_CODEC, VALUE_CODEC)
        .filter(AMONG, (key, value, keys) -> List.of(keys.split(",", -1)).contains(key))
        .reduce(Reduced.TEXTS, Reduced.texts(), Reduced::joined);
  }

  private static final Duration INGEST_RETRY = Duration.ofMillis(700);

  private final World world;
  private final SimulatedTime time;
  private final CacheSettings<String, Integer> cache;
  private final Map<String, ClusterKeyHistory> histories = new LinkedHashMap<>();
  private final List<Write> clears = new ArrayList<>();
  private final List<BitSet> losses = new ArrayList<>();
  private final Map<Integer, String> keysOfValues = new HashMap<>();
  private final Map<Integer, Write> expiries = new HashMap<>();
  private final KeySegments segments;
  private final OutstandingCalls calls;
  private final Map<Integer, List<Long>> failures = new HashMap<>();
  private final Map<String, Integer> lastSeen = new HashMap<>();
  private final Map<String, CacheEntry<String, Integer>> lastEntries = new HashMap<>();
  private final Map<Map.Entry<SimulatedNode, String>, ComputationQueue> queues = new HashMap<>();
  private int leastOwners = 1;
  private int lastValue;

  /**
   * @param cache the cache's name
   */
  public Workload(World world, String cache) {
    this.world = world;
    this.time = world.time;
    this.cache = new CacheSettings<>(cache, KEY_CODEC, VALUE_CODEC);
    this.segments = new KeySegments(world);
    this.calls = new OutstandingCalls(world);
  }

  Cache<String, Integer> cacheOn(SimulatedNode node) {
    return node.engine.open(cache);
  }

  /** The cache's name. */
  public String cacheName() {
    return cache.name();
  }

  /** The key that a value was written to, for every write has a value of its own. */
  @Nullable String keyOf(int value) {
    return keysOfValues.get(value);
  }

  /** Its operations that are under way, and how the others have ended. */
  public OutstandingCalls calls() {
    return calls;
  }

  public Set<String> keys() {
    return histories.keySet();
  }

  /** The content of these segments may be gone from now on. */
  public void mayBeLost(BitSet lost) {
    losses.add((BitSet) lost.clone());
    histories.forEach(
        (key, history) -> {
          if (lost.get(segment(key))) {
            history.mayBeLost(time.nanoTime());
          }
        });
  }

  /** It is known now which segments have begun anew: nothing else was lost. */
  public void lostOnly(BitSet lost) {
    histories.forEach(
        (key, history) -> {
          if (!lost.get(segment(key))) {
            history.notLost();
          }
        });
  }

  /** What was not acknowledged in these segments may be undone now. */
  public void mayBeUndone(BitSet failed) {
    failed.stream()
        .forEach(
            segment ->
                failures.computeIfAbsent(segment, none -> new ArrayList<>()).add(time.nanoTime()));
  }

  /** The segment that a key falls into. */
  public int segment(String key) {
    return segments.of(key);
  }

  ClusterKeyHistory history(String key) {
    ClusterKeyHistory known = histories.get(key);
    return known == null ? begin(key) : known;
  }

  /** A new key shares whatever may still come over all of them. */
  private ClusterKeyHistory begin(String key) {
    ClusterKeyHistory history = new ClusterKeyHistory(key);
    clears.stream().filter(clear -> !clear.isAcknowledged()).forEach(history::add);
    losses.stream()
        .filter(lost -> lost.get(segment(key)))
        .forEach(lost -> history.mayBeLost(time.nanoTime()));
    histories.put(key, history);
    return history;
  }

  /** When primaries of the key's segment have failed. */
  private List<Long> failures(String key) {
    return failures.getOrDefault(segment(key), List.of());
  }

  // ---- Operations

  /** One random operation on a key. */
  public void operate(SimulatedNode node, String key) {
    switch (time.random.nextInt(17)) {
      case 0, 1 -> put(node, key);
      case 2 -> getAndPut(node, key);
      case 3 -> remove(node, key);
      case 4 -> putIfAbsent(node, key);
      case 5 -> replace(node, key);
      case 6 -> exchange(node, key);
      case 7 -> increment(node, key);
      case 8 -> putAll(node, some(key, key.substring(0, key.indexOf('-'))));
      case 9 -> getAll(node, some(key, ""));
      case 10 -> putForAWhile(node, key);
      case 11 -> putIfAbsentForAWhile(node, key);
      case 12 -> count(node);
      case 13 -> getEntry(node, key);
      case 15 -> readAll(node);
      case 14 -> ingest(node, some(key, key.substring(0, key.indexOf('-'))));
      default -> get(node, key);
    }
  }

  public CompletionStage<?> get(SimulatedNode node, String key) {
    long start = time.nanoTime();
    return calls.watch(
        node, async(node).get(key), value -> look(node, key, value, start, "get"), null);
  }

  private void getEntry(SimulatedNode node, String key) {
    long start = time.nanoTime();
    calls.watch(
        node,
        async(node).getEntry(key),
        entry -> {
          look(node, key, entry == null ? null : entry.value(), start, "getEntry");
          if (entry != null) {
            lastEntries.put(key, entry);
          }
        },
        null);
  }

  /** A key twice, and some others that begin alike; more if these are few. */
  private List<String> some(String key, String beginning) {
    List<String> some = new ArrayList<>(List.of(key, key));
    int share = beginning.isEmpty() ? 4 : 2;
    for (String other : keys()) {
      if (other.startsWith(beginning) && time.random.nextInt(share) == 0) {
        some.add(other);
      }
    }
    return some;
  }

  private void getAll(SimulatedNode node, List<String> keys) {
    long start = time.nanoTime();
    calls.watch(
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
      writes.add(begin(node, key, Write.Kind.PUT, null, lastValue));
    }
    calls.watch(
        node,
        async(node).putAll(values),
        done -> writes.forEach(write -> acknowledge(write, true)),
        null);
  }

  /**
   * Loads entries from a stream, some keys twice. Each is written once, or not, or it is reported
   * as failed; only then it may have been written.
   */
  private void ingest(SimulatedNode node, List<String> keys) {
    List<Map.Entry<String, Integer>> entries = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    boolean absent = time.random.nextBoolean();
    Write.Kind kind = absent ? Write.Kind.PUT_IF_ABSENT : Write.Kind.PUT;
    for (String key : absent ? new LinkedHashSet<>(keys) : keys) {
      entries.add(Map.entry(key, ++lastValue));
      writes.add(begin(node, key, kind, null, lastValue));
    }
    int batchBytes = time.random.nextBoolean() ? 64 : 1_000;
    CacheSink<String, Integer> sink =
        cacheOn(node).sink().batchBytes(batchBytes).memoryBytes(4_000).retryFor(INGEST_RETRY);
    calls.watch(
        node,
        (absent ? sink.ifAbsent() : sink).load(Flowable.fromIterable(entries)),
        report -> ingested(report, writes, absent),
        null);
  }

  private void ingested(IngestReport report, List<Write> writes, boolean absent) {
    world.check(
        report.total().ended() == writes.size(),
        () -> "of %d entries of a load these have ended: %s".formatted(writes.size(), report));
    boolean known = report.failed() == 0;
    if (known && (!absent || report.written() == 0 || report.total().present() == 0)) {
      writes.forEach(write -> acknowledge(write, report.written() > 0));
    }
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

  public CompletionStage<?> put(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.PUT, null, value);
    return calls.watch(node, async(node).put(key, value), done -> acknowledge(write, true), write);
  }

  private void putForAWhile(SimulatedNode node, String key) {
    Duration lifespan = Duration.ofMillis(300 + time.random.nextInt(2_500));
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.PUT, null, value);
    Write expiry = expiry(key, value, lifespan);
    calls.watch(
        node,
        async(node).put(key, value, lifespan),
        done -> {
          acknowledge(write, true);
          expiry.follows(write.endNanos);
        },
        write);
  }

  private void putIfAbsentForAWhile(SimulatedNode node, String key) {
    Duration lifespan = Duration.ofMillis(300 + time.random.nextInt(2_500));
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.PUT_IF_ABSENT, null, value);
    Write expiry = expiry(key, value, lifespan);
    calls.watch(
        node,
        async(node).putIfAbsent(key, value, lifespan),
        put -> {
          acknowledge(write, put);
          expiry.follows(write.endNanos);
        },
        write);
  }

  private Write expiry(String key, int value, Duration lifespan) {
    Write expiry = Write.expiry(value, time.nanoTime(), lifespan.toNanos());
    history(key).add(expiry);
    expiries.put(value, expiry);
    return expiry;
  }

  /** What is computed from a value that expires does so, too, and at the same time. */
  private void keepExpiry(String key, @Nullable Integer present, int next) {
    Write kept = present == null ? null : expiries.get(present);
    if (kept != null) {
      Write expiry =
          new Write(Write.Kind.EXPIRY, next, null, Math.max(kept.startNanos, time.nanoTime()));
      history(key).add(expiry);
      expiries.put(next, expiry);
    }
  }

  /** Removes everything: one remove per key, each at a time of its own. */
  public void clear(SimulatedNode node) {
    Write clear = new Write(Write.Kind.CLEAR, null, null, time.nanoTime());
    clears.add(clear);
    histories.values().forEach(history -> history.add(clear));
    calls.watch(node, async(node).clear(), done -> acknowledge(clear, true), null);
  }

  /** Each entry counts as it is when its segment is asked; one that has expired may count. */
  private void count(SimulatedNode node) {
    long start = time.nanoTime();
    calls.watch(
        node,
        async(node).size(),
        size -> {
          long now = time.nanoTime();
          long least = histories.values().stream().filter(h -> !h.mayBeAbsent(start, now)).count();
          long most = histories.values().stream().filter(h -> h.mayBeStored(start, now)).count();
          world.check(
              size != null && least <= size && size <= most,
              () ->
                  "%s of %d to %d entries were counted on %s"
                      .formatted(size, least, most, world.name(node)));
        },
        null);
  }

  /** The whole content as the nodes add it up. */
  private void readAll(SimulatedNode node) {
    long start = time.nanoTime();
    calls.watch(
        node,
        Reduced.content(world, cacheOn(node).stream()),
        all -> {
          Map<String, Integer> found = all == null ? Map.of() : all;
          for (String key : List.copyOf(keys())) {
            if (!Objects.equals(found.get(key), Reduced.PRESENT)) {
              look(node, key, found.get(key), start, "a reduction");
            } else {
              boolean possible = history(key).mayBeStored(start, time.nanoTime());
              world.check(possible, () -> key + " was added up, which was not there");
            }
          }
          boolean known = keys().containsAll(found.keySet());
          world.check(known, () -> "keys that nobody has written are among " + found.keySet());
        },
        null);
  }

  private void getAndPut(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.PUT, null, value);
    calls.watch(
        node,
        async(node).getAndPut(key, value),
        before -> {
          write.found(before);
          acknowledge(write, true);
        },
        write);
  }

  private void remove(SimulatedNode node, String key) {
    Write write = begin(node, key, Write.Kind.REMOVE, null, null);
    calls.watch(node, async(node).remove(key), present -> acknowledge(write, present), write);
  }

  private void putIfAbsent(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.PUT_IF_ABSENT, null, value);
    calls.watch(node, async(node).putIfAbsent(key, value), put -> acknowledge(write, put), write);
  }

  private void replace(SimulatedNode node, String key) {
    int value = ++lastValue;
    Write write = begin(node, key, Write.Kind.REPLACE_IF_PRESENT, null, value);
    calls.watch(
        node,
        async(node).getAndReplace(key, value),
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
    CacheEntry<String, Integer> entry = lastEntries.get(key);
    if (expected == null) {
      get(node, key);
    } else if (entry != null && entry.value().equals(expected)) {
      exchange(node, key, entry);
    } else if (time.random.nextBoolean()) {
      int value = ++lastValue;
      Write write = begin(node, key, Write.Kind.REPLACE_IF_EQUAL, expected, value);
      calls.watch(
          node,
          async(node).replace(key, expected, value),
          applied -> acknowledge(write, applied),
          write);
    } else {
      Write write = begin(node, key, Write.Kind.REMOVE_IF_EQUAL, expected, null);
      calls.watch(
          node, async(node).remove(key, expected), applied -> acknowledge(write, applied), write);
    }
  }

  /** The same, by the version of what somebody has seen last. */
  private void exchange(SimulatedNode node, String key, CacheEntry<String, Integer> seen) {
    boolean replaces = time.random.nextBoolean();
    Integer value = replaces ? ++lastValue : null;
    Write.Kind kind = replaces ? Write.Kind.REPLACE_IF_EQUAL : Write.Kind.REMOVE_IF_EQUAL;
    Write write = begin(node, key, kind, seen.value(), value).byVersion();
    calls.watch(
        node,
        value == null
            ? async(node).removeIfVersion(key, seen.version())
            : async(node).replaceIfVersion(key, seen.version(), value),
        applied -> acknowledge(write, applied),
        write);
  }

  /**
   * A computation: its function may run more than once, but only one result may stay. Behind others
   * of its node it may first be shown what these have left.
   */
  public void increment(SimulatedNode node, String key) {
    ComputationQueue queue =
        queues.computeIfAbsent(Map.entry(node, key), none -> new ComputationQueue());
    long start = queue.enter(time.nanoTime());
    Map<Integer, Write> tried = new HashMap<>();
    CompletionStage<@Nullable Integer> stage =
        async(node)
            .compute(
                key,
                (same, present) -> {
                  tried.values().forEach(before -> acknowledge(before, false));
                  look(node, key, present, start, "compute");
                  int next = ++lastValue;
                  Write.Kind kind =
                      present == null ? Write.Kind.PUT_IF_ABSENT : Write.Kind.REPLACE_IF_EQUAL;
                  tried.put(next, begin(node, key, kind, present, next));
                  keepExpiry(key, present, next);
                  return next;
                });
    var unused = stage.whenComplete((value, error) -> queue.leave());
    calls.watch(
        node,
        stage,
        value -> {
          Write write = tried.get(value);
          if (write == null) {
            throw new AssertionError("compute returned " + value + ", which it never computed");
          }
          acknowledge(write, true);
          Write expiry = expiries.get(value);
          if (expiry != null) {
            expiry.follows(write.endNanos);
          }
        },
        null);
  }

  private AsyncCache<String, Integer> async(SimulatedNode node) {
    return cacheOn(node).async();
  }

  private Write begin(
      SimulatedNode node,
      String key,
      Write.Kind kind,
      @Nullable Integer expected,
      @Nullable Integer value) {
    if (value != null) {
      keysOfValues.put(value, key);
    }
    return history(key)
        .begin(kind, expected, value, time.nanoTime())
        .of(world.name(node), segment(key));
  }

  /** Writes are to be refused by segments with fewer owners. */
  public void expectOwners(int least) {
    leastOwners = least;
  }

  private void acknowledge(Write write, boolean applied) {
    long since = world.lag().sinceNanos(write.startNanos);
    world.check(
        write.segment() < 0
            || leastOwners == 1
            || world.dangers().hadOwners(write.segment(), leastOwners, since),
        () -> write + " was acknowledged by fewer than " + leastOwners + " owners");
    write.acknowledged(time.nanoTime(), applied);
  }

  private void look(
      SimulatedNode node, String key, @Nullable Integer value, long start, String how) {
    lastSeen.put(key, value);
    long truth = world.lag().truthNanos(node, start);
    history(key).seen(value, truth, time.nanoTime(), how + " on " + world.name(node));
  }

  private void checkFound(
      SimulatedNode node, String key, @Nullable Integer present, Write write, String how) {
    if (present != null) {
      look(node, key, present, write.startNanos, how);
    }
  }

  // ---- The end of all

  /** Reads a key that nobody writes any more, and checks all that was ever done to it. */
  public void settle(SimulatedNode node, String key) {
    long start = time.nanoTime();
    calls.watch(
        node,
        async(node).get(key),
        value -> {
          look(node, key, value, start, "the last get");
          history(key).inOrder(value, time.nanoTime(), failures(key));
        },
        null);
  }
}
