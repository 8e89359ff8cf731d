package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.CacheSettings;
import dev.headrace.cluster.node.NodeCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long entries stay that are written without a lifespan of their own. */
@Timeout(120)
class LifespanTest {
  private static final Duration HOURS = Duration.ofHours(3);
  private static final CacheSettings<String, String> FOREVER =
      CacheSettings.of("quotes", String.class, String.class);
  private static final CacheSettings<String, String> FOR_HOURS = FOREVER.withLifespan(HOURS);

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void everyWriteGivesTheLifespanOfTheCache(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      Cache<String, String> cache = cluster.node(nodes - 1).cache(FOR_HOURS);
      assertRenewed(cache, key -> cache.put(key, "v"));
      assertRenewed(cache, key -> cache.putAll(Map.of(key, "v")));
      assertRenewed(cache, key -> cache.getAndPut(key, "v"));
      assertRenewed(cache, key -> cache.replace(key, "v"));
      assertRenewed(cache, key -> cache.replace(key, "old", "v"));
      assertRenewed(cache, key -> cache.getAndReplace(key, "v"));
      assertRenewed(cache, key -> cache.replaceIfVersion(key, entry(cache, key).version(), "v"));
      assertRenewed(cache, key -> cache.asMap().put(key, "v"));
      AsyncCache<String, String> async = cache.async();
      assertRenewed(cache, key -> async.put(key, "v").join());
      assertRenewed(cache, key -> async.putAll(Map.of(key, "v")).join());
      cache.remove("k");
      assertThat(cache.putIfAbsent("k", "v")).isTrue();
      assertThat(expiry(cache, "k")).isBetween(soon(), late());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void computationsGiveItToNewEntriesAndLeaveOthersTheirs(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      Cache<String, String> cache = cluster.node(nodes - 1).cache(FOR_HOURS);
      cache.computeIfAbsent("computed", key -> "v");
      cache.merge("merged", "v", String::concat);
      cache.async().compute("later", (key, value) -> "v").join();
      assertThat(expiry(cache, "computed")).isBetween(soon(), late());
      assertThat(expiry(cache, "merged")).isBetween(soon(), late());
      assertThat(expiry(cache, "later")).isBetween(soon(), late());
      cache.put("long", "v", Duration.ofDays(1));
      cache.put("endless", "v", Cache.FOREVER);
      Instant before = expiry(cache, "long");
      for (String key : new String[] {"long", "endless"}) {
        cache.merge(key, "w", String::concat);
        cache.computeIfPresent(key, (same, value) -> value + "x");
        assertThat(cache.get(key)).isEqualTo("vwx");
      }
      assertThat(expiry(cache, "long")).isEqualTo(before);
      assertThat(expiry(cache, "endless")).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aLifespanOfItsOwnOverridesIt(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      Cache<String, String> cache = cluster.node(nodes - 1).cache(FOR_HOURS);
      cache.put("k", "v", Duration.ofDays(1));
      assertThat(expiry(cache, "k")).isAfter(late());
      cache.put("k", "v", Cache.FOREVER);
      assertThat(expiry(cache, "k")).isNull();
      cache.merge("k", "w", String::concat, HOURS);
      assertThat(expiry(cache, "k")).isBetween(soon(), late());
      cache.compute("k", (key, value) -> value, Cache.FOREVER);
      assertThat(expiry(cache, "k")).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void entriesAreGoneWhenItIsOver(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      Cache<String, String> cache =
          cluster.node(0).cache(FOREVER.withLifespan(Duration.ofMillis(50)));
      cache.put("k", "v");
      cache.put("stays", "v", Cache.FOREVER);
      while (cluster.node(nodes - 1).cache(FOREVER).containsKey("k")) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(cache.get("stays")).isEqualTo("v");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whoWritesDecides(int nodes) {
    try (NodeCluster cluster = NodeCluster.of(nodes)) {
      Cache<String, String> limited = cluster.node(0).cache(FOR_HOURS);
      Cache<String, String> endless = cluster.node(nodes - 1).cache(FOREVER);
      limited.put("k", "v");
      assertThat(expiry(endless, "k")).isBetween(soon(), late());
      endless.put("k", "v");
      assertThat(expiry(limited, "k")).isNull();
    }
  }

  private static void assertRenewed(Cache<String, String> cache, Consumer<String> write) {
    cache.put("k", "old", Duration.ofDays(1));
    write.accept("k");
    assertThat(cache.get("k")).isEqualTo("v");
    assertThat(expiry(cache, "k")).isBetween(soon(), late());
  }

  private static CacheEntry<String, String> entry(Cache<String, String> cache, String key) {
    return Objects.requireNonNull(cache.getEntry(key));
  }

  private static @Nullable Instant expiry(Cache<String, String> cache, String key) {
    return entry(cache, key).expiry();
  }

  /** The earliest end of what is written now, with room for clocks that differ. */
  private static Instant soon() {
    return Instant.now().plus(HOURS).minus(Duration.ofHours(1));
  }

  private static Instant late() {
    return Instant.now().plus(HOURS).plus(Duration.ofHours(1));
  }
}
