package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processors that real nodes know by name. */
@Timeout(240)
class ProcessorsOnNodesTest {
  private static final int MAX_ENTRY_BYTES = 64 << 10;
  private static final int THREADS = 4;
  private static final int CALLS = 400;
  private static final int KEYS = 3;
  private static final Codec<String> TEXT = Codecs.string();
  private static final Codec<Integer> NUMBER = Codecs.of(Integer.class);

  /** Counts up by the argument, and returns the sum. */
  private static final FunctionName<Integer, Integer> ADD = FunctionName.of("add", NUMBER, NUMBER);

  /** Removes what is there, and returns it. */
  private static final FunctionName<Integer, Integer> TAKE =
      FunctionName.of("take", NUMBER, NUMBER);

  private static final FunctionName<String, Integer> FAIL = FunctionName.of("fail", TEXT, NUMBER);

  private static final FunctionName<Long, Integer> SET_FOR =
      FunctionName.of("setFor", Codecs.of(Long.class), NUMBER);

  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  private NodeFunctions<String, Integer> functions() {
    return NodeFunctions.over(TEXT, NUMBER)
        .process(
            ADD,
            (key, value, more) -> {
              threads.add(Thread.currentThread().getName());
              int sum = (value == null ? 0 : value) + more;
              return EntryUpdate.set(sum, sum);
            })
        .process(TAKE, (key, value, none) -> EntryUpdate.remove(value))
        .process(
            FAIL,
            (key, value, why) -> {
              throw new IllegalStateException(why);
            })
        .process(
            SET_FOR, (key, value, millis) -> EntryUpdate.set(1, Duration.ofMillis(millis), null));
  }

  private NodeCluster cluster(int nodes) {
    return NodeCluster.of(
        nodes,
        settings ->
            settings
                .operationTimeout(Duration.ofMinutes(2))
                .maxEntryBytes(MAX_ENTRY_BYTES)
                .functions(functions()));
  }

  private static Cache<String, Integer> opened(Headrace node) {
    return node.cache("counters", String.class, Integer.class);
  }

  @Test
  void callsOfAllNodesCountOnceEachWhileOneNodeDies() throws Exception {
    try (NodeCluster cluster = cluster(3)) {
      List<Cache<String, Integer>> caches = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        caches.add(opened(cluster.node(i)));
      }
      AtomicInteger calls = new AtomicInteger();
      AtomicInteger unknown = new AtomicInteger();
      CyclicBarrier begin = new CyclicBarrier(THREADS);
      ExecutorService callers = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        Cache<String, Integer> cache = caches.get(thread % caches.size());
        all.add(
            callers.submit(
                () -> {
                  begin.await();
                  for (int i = 0; i < CALLS; i++) {
                    try {
                      assertThat(cache.process("k" + i % KEYS, ADD, 1)).isPositive();
                    } catch (OutcomeUnknownException e) {
                      unknown.incrementAndGet();
                    }
                    if (calls.incrementAndGet() == THREADS * CALLS / 2) {
                      cluster.node(2).kill();
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      callers.shutdown();
      int sum = 0;
      for (int key = 0; key < KEYS; key++) {
        sum += caches.get(0).get("k" + key);
      }
      assertThat(sum).isBetween(THREADS * CALLS - unknown.get(), THREADS * CALLS);
      assertThat(unknown.get()).as("two owners survive the loss of one").isZero();
      assertThat(threads).allMatch(name -> name.contains("-functions-"));
    }
  }

  @Test
  void aNodeWithoutACapacityCallsWhatItDoesNotKnowItself() throws Exception {
    try (NodeCluster cluster = cluster(2)) {
      Headrace client = cluster.start(settings -> settings.capacity(0));
      Cache<String, Integer> cache = opened(client);
      assertThat(cache.process("k", TAKE, 0)).isNull();
      assertThat(cache.process("k", ADD, 7)).isEqualTo(7);
      assertThat(cache.async().process("k", ADD, 5).get(1, TimeUnit.MINUTES)).isEqualTo(12);
      assertThat(cache.get("k")).isEqualTo(12);
      assertThat(cache.process("k", TAKE, 0)).isEqualTo(12);
      assertThat(cache.containsKey("k")).isFalse();
    }
  }

  @Test
  void aNewEntryHasTheLifespanOfTheCacheAndAPresentOneWhatItHasLeft() {
    try (NodeCluster cluster = cluster(1)) {
      Headrace node = cluster.node(0);
      Cache<String, Integer> lasting = opened(node);
      Cache<String, Integer> passing =
          node.cache(
              new CacheSettings<>("passing", TEXT, NUMBER).withLifespan(Duration.ofHours(1)));
      lasting.process("k", ADD, 1);
      assertThat(entry(lasting).expiry()).isNull();
      passing.process("k", ADD, 1);
      assertThat(entry(passing).expiry()).isAfter(Instant.now().plusSeconds(1800));
      lasting.put("k", 1, Duration.ofHours(2));
      Instant expiry = entry(lasting).expiry();
      lasting.process("k", ADD, 1);
      assertThat(entry(lasting).expiry()).isEqualTo(expiry);
      lasting.process("k", SET_FOR, 3_600_000L * 24);
      assertThat(entry(lasting).expiry()).isAfter(Instant.now().plusSeconds(3_600 * 12));
    }
  }

  private static CacheEntry<String, Integer> entry(Cache<String, Integer> cache) {
    return Objects.requireNonNull(cache.getEntry("k"));
  }

  @Test
  void whatFailsLeavesTheEntryAsItWas() {
    FunctionName<Integer, byte[]> grow = FunctionName.of("grow", NUMBER, Codecs.bytes());
    FunctionName<Integer, byte[]> boast = FunctionName.of("boast", NUMBER, Codecs.bytes());
    NodeFunctions<String, byte[]> large =
        NodeFunctions.over(TEXT, Codecs.bytes())
            .process(grow, (key, value, bytes) -> EntryUpdate.set(new byte[bytes], null))
            .process(boast, (key, value, bytes) -> EntryUpdate.remove(new byte[bytes]));
    try (NodeCluster cluster =
        NodeCluster.of(
            1,
            settings ->
                settings.maxEntryBytes(MAX_ENTRY_BYTES).functions(functions()).functions(large))) {
      Cache<String, Integer> cache = opened(cluster.node(0));
      cache.put("k", 1);
      assertThatThrownBy(() -> cache.process("k", FAIL, "no luck"))
          .isInstanceOfSatisfying(
              FunctionFailedException.class,
              failed -> {
                assertThat(failed.call().key()).isEqualTo("k");
                assertThat(failed.resumeToken()).isNull();
              })
          .hasMessageContaining("IllegalStateException: no luck")
          .hasMessageContaining("the entry is as it was");
      FunctionName<Integer, Integer> unknown = FunctionName.of("unknown", NUMBER, NUMBER);
      assertThatThrownBy(() -> cache.process("k", unknown, 1))
          .isInstanceOf(FunctionMissingException.class)
          .hasMessageContaining("register it there with NodeSettings.builder().functions(...)");
      FunctionName<String, Integer> otherwise = FunctionName.of("add", TEXT, NUMBER);
      assertThatThrownBy(() -> cache.process("k", otherwise, "1"))
          .isInstanceOf(FunctionMissingException.class)
          .hasMessageContaining("call it with a name that has these codecs");
      assertThatThrownBy(() -> cache.stream().map(ADD, 1).toFlowable().blockingFirst())
          .isInstanceOf(FunctionMissingException.class)
          .hasMessageContaining("for process, and not for map");
      assertThat(cache.get("k")).isEqualTo(1);
      Cache<String, byte[]> bytes = cluster.node(0).cache("bytes", String.class, byte[].class);
      bytes.process("k", grow, 10);
      assertThatThrownBy(() -> bytes.process("k", grow, 2 * MAX_ENTRY_BYTES))
          .isInstanceOf(EntryTooLargeException.class);
      assertThatThrownBy(() -> bytes.process("k", boast, 2 * MAX_ENTRY_BYTES))
          .isInstanceOf(FunctionFailedException.class)
          .hasMessageContaining("its result has");
      assertThat(bytes.get("k")).hasSize(10);
    }
  }
}
