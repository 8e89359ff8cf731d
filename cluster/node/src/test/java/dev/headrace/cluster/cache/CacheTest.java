package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.cluster.node.NodeCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** What a cache does, seen from two of the three nodes that hold it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheTest {
  private static final int MANY = 20_000;
  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = new NodeCluster();
    for (int i = 0; i < 3; i++) {
      cluster.start(settings -> changed(settings.maxEntryBytes(1 << 20)));
    }
  }

  /** Settings that a subclass may change. */
  NodeSettings.Builder changed(NodeSettings.Builder settings) {
    return settings;
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private Cache<String, String> here(TestInfo test) {
    return cluster.node(0).cache(test.getDisplayName(), String.class, String.class);
  }

  private Cache<String, String> there(TestInfo test) {
    return cluster.node(1).cache(test.getDisplayName(), String.class, String.class);
  }

  @Test
  void aWriteOnOneNodeIsReadOnAnother(TestInfo test) {
    here(test).put("k", "v");
    assertThat(there(test).get("k")).isEqualTo("v");
    assertThat(there(test).containsKey("k")).isTrue();
    assertThat(there(test).get("absent")).isNull();
    assertThat(there(test).containsKey("absent")).isFalse();
  }

  @Test
  void conditionalWritesTellWhatTheyFound(TestInfo test) {
    Cache<String, String> cache = here(test);
    assertThat(cache.replace("k", "x")).isFalse();
    assertThat(cache.getAndReplace("k", "x")).isNull();
    assertThat(cache.putIfAbsent("k", "a")).isTrue();
    assertThat(cache.putIfAbsent("k", "b")).isFalse();
    assertThat(cache.get("k")).isEqualTo("a");
    assertThat(cache.getAndReplace("k", "a2")).isEqualTo("a");
    assertThat(cache.replace("k", "b")).isTrue();
    assertThat(cache.replace("k", "a", "c")).isFalse();
    assertThat(cache.replace("k", "b", "c")).isTrue();
    assertThat(cache.getAndPut("k", "d")).isEqualTo("c");
    assertThat(cache.remove("k", "c")).isFalse();
    assertThat(cache.remove("k", "d")).isTrue();
    assertThat(cache.remove("k")).isFalse();
    assertThat(cache.getAndRemove("k")).isNull();
    cache.put("k", "e");
    assertThat(cache.getAndRemove("k")).isEqualTo("e");
  }

  @Test
  void anEntryHasItsVersionAndExpiry(TestInfo test) {
    Cache<String, String> cache = here(test);
    assertThat(cache.getEntry("k")).isNull();
    cache.put("k", "a");
    CacheEntry<String, String> first = entry(cache, "k");
    assertThat(first.value()).isEqualTo("a");
    assertThat(first.expiry()).isNull();
    assertThat(entry(there(test), "k")).isEqualTo(first);
    cache.put("k", "a", Duration.ofHours(1));
    CacheEntry<String, String> second = entry(cache, "k");
    assertThat(second.version()).isNotEqualTo(first.version());
    assertThat(second.expiry())
        .isBetween(Instant.now().plusSeconds(3_000), Instant.now().plusSeconds(4_200));
    assertThat(there(test).async().getEntry("k").join()).isEqualTo(second);
  }

  @Test
  void aVersionNoticesAValueThatWasChangedAndChangedBack(TestInfo test) {
    Cache<String, String> cache = here(test);
    cache.put("k", "a");
    EntryVersion first = entry(cache, "k").version();
    there(test).put("k", "b");
    there(test).put("k", "a");
    assertThat(cache.replaceIfVersion("k", first, "c")).isFalse();
    assertThat(cache.removeIfVersion("k", first)).isFalse();
    EntryVersion present = EntryVersion.parse(entry(cache, "k").version().toString());
    assertThat(cache.replaceIfVersion("k", present, "c", Duration.ofHours(1))).isTrue();
    assertThat(entry(there(test), "k").expiry()).isNotNull();
    assertThat(cache.replaceIfVersion("k", present, "d")).isFalse();
    assertThat(cache.replaceIfVersion("k", entry(cache, "k").version(), "e")).isTrue();
    assertThat(entry(there(test), "k").expiry()).isNull();
    assertThat(cache.removeIfVersion("k", entry(there(test), "k").version())).isTrue();
    assertThat(cache.replaceIfVersion("k", present, "f")).isFalse();
    assertThat(cache.containsKey("k")).isFalse();
  }

  @Test
  void versionsCanBeUsedWithoutWaiting(TestInfo test) {
    AsyncCache<String, String> async = here(test).async();
    async.put("k", "a").join();
    EntryVersion first = entry(here(test), "k").version();
    assertThat(async.replaceIfVersion("k", first, "b").join()).isTrue();
    assertThat(async.replaceIfVersion("k", first, "c", Duration.ofHours(1)).join()).isFalse();
    assertThat(async.removeIfVersion("k", first).join()).isFalse();
    assertThat(async.removeIfVersion("k", entry(here(test), "k").version()).join()).isTrue();
    assertThat(async.getEntry("k").join()).isNull();
  }

  private static CacheEntry<String, String> entry(Cache<String, String> cache, String key) {
    return Objects.requireNonNull(cache.getEntry(key));
  }

  @Test
  void computationsSeeTheValueAndMayRemoveIt(TestInfo test) {
    Cache<String, String> cache = here(test);
    assertThat(cache.computeIfPresent("k", (key, value) -> value + "!")).isNull();
    assertThat(cache.computeIfAbsent("k", key -> key + "1")).isEqualTo("k1");
    assertThat(cache.computeIfAbsent("k", key -> "other")).isEqualTo("k1");
    assertThat(cache.compute("k", (key, value) -> value + "2")).isEqualTo("k12");
    assertThat(cache.merge("k", "3", String::concat)).isEqualTo("k123");
    assertThat(cache.merge("new", "3", String::concat)).isEqualTo("3");
    assertThat(cache.computeIfPresent("k", (key, value) -> null)).isNull();
    assertThat(cache.containsKey("k")).isFalse();
    assertThat(cache.compute("absent", (key, value) -> null)).isNull();
  }

  @Test
  void racingComputationsAreAllCounted(TestInfo test) throws Exception {
    Cache<String, Integer> one = cluster.node(0).cache("counts", String.class, Integer.class);
    Cache<String, Integer> two = cluster.node(2).cache("counts", String.class, Integer.class);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Integer> count =
          () -> {
            for (int i = 0; i < 250; i++) {
              (i % 2 == 0 ? one : two).merge("n", 1, Integer::sum);
            }
            return 250;
          };
      for (Future<Integer> done : threads.invokeAll(List.of(count, count, count, count))) {
        assertThat(done.get()).isEqualTo(250);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(one.get("n")).isEqualTo(1000);
  }

  @Test
  void manyEntriesAreWrittenReadCountedAndCleared(TestInfo test) {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < MANY; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    Cache<String, String> cache = here(test);
    cache.putAll(entries);
    assertThat(there(test).size()).isEqualTo(MANY);
    assertThat(there(test).getAll(entries.keySet())).isEqualTo(entries);
    assertThat(there(test).getAll(List.of("key-1", "absent"))).hasSize(1);
    cache.clear();
    assertThat(there(test).size()).isZero();
    assertThat(there(test).iterator().hasNext()).isFalse();
  }

  @Test
  void manyKeysAreRemovedTogether(TestInfo test) {
    Cache<String, String> cache = here(test);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      keys.add("key-" + i);
    }
    Map<String, String> entries = new HashMap<>(Map.of("stays", "v", "too", "v"));
    keys.forEach(key -> entries.put(key, "v"));
    cache.putAll(entries);
    keys.add("absent");
    there(test).removeAll(keys);
    assertThat(cache.size()).isEqualTo(2);
    there(test).async().removeAll(List.of("too", "absent")).join();
    assertThat(cache.getAll(entries.keySet())).isEqualTo(Map.of("stays", "v"));
    assertThatNullPointerException()
        .isThrownBy(() -> cache.removeAll(Arrays.asList("stays", null)))
        .withMessage("key");
    cache.removeAll(List.of());
    assertThat(cache.get("stays")).isEqualTo("v");
  }

  @Test
  void asynchronousOperationsDoTheSame(TestInfo test) {
    Cache<String, String> cache = here(test);
    var async = cache.async();
    assertThat(async.put("k", "a").thenCompose(done -> async.get("k")).join()).isEqualTo("a");
    assertThat(async.putIfAbsent("k", "b").join()).isFalse();
    assertThat(async.replace("k", "a", "c").join()).isTrue();
    assertThat(async.replace("absent", "c").join()).isFalse();
    assertThat(async.getAndReplace("k", "c").join()).isEqualTo("c");
    assertThat(async.merge("k", "d", String::concat).join()).isEqualTo("cd");
    assertThat(async.compute("k", (key, value) -> value + "e").join()).isEqualTo("cde");
    assertThat(async.putAll(Map.of("l", "1", "m", "2")).thenCompose(done -> async.size()).join())
        .isEqualTo(3L);
    assertThat(async.getAll(List.of("l", "m", "n")).join()).isEqualTo(Map.of("l", "1", "m", "2"));
    assertThat(async.remove("k").join()).isTrue();
    assertThat(async.clear().thenCompose(done -> async.size()).join()).isZero();
  }

  @Test
  void theMapViewIsLive(TestInfo test) {
    ConcurrentMap<String, String> map = here(test).asMap();
    assertThat(map).isEmpty();
    assertThat(map.put("a", "1")).isNull();
    assertThat(map.put("a", "2")).isEqualTo("1");
    map.putAll(Map.of("b", "3", "c", "4"));
    assertThat(map).hasSize(3).isEqualTo(Map.of("a", "2", "b", "3", "c", "4"));
    assertThat(map.entrySet()).contains(Map.entry("b", "3"));
    assertThat(map.remove("b", "x")).isFalse();
    map.values().removeIf(value -> value.equals("4"));
    assertThat(map.keySet()).containsExactlyInAnyOrder("a", "b");
    map.clear();
    assertThat(there(test).size()).isZero();
  }

  @Test
  void aComputationKeepsWhatIsLeftOfALifespan(TestInfo test) {
    Cache<String, String> cache = here(test);
    Duration lifespan = Duration.ofSeconds(2);
    List.of("compute", "merge", "present", "async").forEach(key -> cache.put(key, "v", lifespan));
    long writtenNanos = System.nanoTime();
    assertThat(there(test).compute("compute", (key, value) -> value + "!")).isEqualTo("v!");
    assertThat(there(test).merge("merge", "!", String::concat)).isEqualTo("v!");
    assertThat(there(test).computeIfPresent("present", (key, value) -> "w")).isEqualTo("w");
    assertThat(there(test).async().merge("async", "!", String::concat).join()).isEqualTo("v!");
    assertThat(cache.merge("new", "stays", String::concat)).isEqualTo("stays");
    await(() -> there(test).getAll(List.of("compute", "merge", "present", "async")).isEmpty());
    assertThat(System.nanoTime() - writtenNanos).isLessThan(Duration.ofSeconds(30).toNanos());
    assertThat(cache.get("new")).isEqualTo("stays");
  }

  @Test
  void aComputationOfAnEntryWithoutLifespanAddsNone(TestInfo test) {
    Cache<String, String> cache = here(test);
    cache.put("k", "v");
    cache.compute("k", (key, value) -> value + "!");
    cache.compute("other", (key, value) -> "v", Duration.ofMillis(1));
    await(() -> there(test).get("other") == null);
    assertThat(there(test).get("k")).isEqualTo("v!");
  }

  @Test
  void aComputationMayGiveALifespan(TestInfo test) {
    Cache<String, String> cache = here(test);
    Duration lifespan = Duration.ofMillis(1);
    cache.putAll(Map.of("compute", "v", "merge", "v", "present", "v", "async", "v"));
    cache.compute("compute", (key, value) -> value + "!", lifespan);
    cache.merge("merge", "!", String::concat, lifespan);
    cache.computeIfPresent("present", (key, value) -> "w", lifespan);
    cache.computeIfAbsent("absent", key -> "v", lifespan);
    cache.async().compute("async", (key, value) -> "w", lifespan).join();
    await(() -> !there(test).iterator().hasNext());
    cache.put("longer", "v", Duration.ofSeconds(1));
    cache.merge("longer", "!", String::concat, Duration.ofSeconds(Long.MAX_VALUE));
    cache.put("meanwhile", "v", Duration.ofSeconds(2));
    await(() -> there(test).get("meanwhile") == null);
    assertThat(there(test).get("longer")).isEqualTo("v!");
    assertThatThrownBy(() -> cache.compute("k", (key, value) -> "v", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lifespan");
  }

  private static void await(BooleanSupplier condition) {
    long sinceNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - sinceNanos).isLessThan(Duration.ofSeconds(30).toNanos());
    }
  }

  @Test
  void anEntryIsHiddenAsSoonAsItExpires(TestInfo test) {
    Cache<String, String> cache = here(test);
    Duration lifespan = Duration.ofMillis(60);
    long beforeNanos = System.nanoTime();
    cache.put("short", "v", lifespan);
    long writtenNanos = System.nanoTime();
    cache.put("long", "v", Duration.ofHours(1));
    assertThat(cache.putIfAbsent("forever", "v", Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    // The clocks of two nodes in one process differ by less than this.
    long skewNanos = Duration.ofSeconds(1).toNanos();
    long begunNanos = System.nanoTime();
    while (there(test).get("short") != null) {
      assertThat(begunNanos - writtenNanos)
          .as("a read that begins after the lifespan does not see it")
          .isLessThan(lifespan.toNanos() + skewNanos);
      begunNanos = System.nanoTime();
    }
    assertThat(System.nanoTime() - beforeNanos)
        .as("not hidden before the lifespan is over, but for the clock's millisecond")
        .isGreaterThan(lifespan.minusMillis(2).toNanos());
    assertThat(there(test).get("short")).as("it does not come back").isNull();
    begunNanos = System.nanoTime();
    while (!there(test).putIfAbsent("short", "again")) { // by the clock of the primary
      assertThat(begunNanos - writtenNanos).isLessThan(lifespan.toNanos() + skewNanos);
      begunNanos = System.nanoTime();
    }
    assertThat(there(test).remove("short")).isTrue();
    assertThat(cache.get("long")).isEqualTo("v");
    try (CloseableIterator<Map.Entry<String, String>> all = there(test).iterator()) {
      assertThat(all).toIterable().extracting(Map.Entry::getKey).containsOnly("long", "forever");
    }
    assertThatThrownBy(() -> cache.put("k", "v", Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> cache.put("k", "v", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lifespan");
  }
}
