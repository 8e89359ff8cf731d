package dev.headrace.cluster.cache;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.cluster.node.TestCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** What a cache does, seen from two of the three nodes that hold it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheTest {
  private static final int MANY = 20_000;

  private TestCluster cluster;

  @BeforeAll
  void start() {
    cluster = new TestCluster();
    for (int i = 0; i < 3; i++) {
      cluster.start(settings -> settings.maxEntryBytes(1 << 20));
    }
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
    assertThat(cache.replace("k", "x")).isNull();
    assertThat(cache.putIfAbsent("k", "a")).isNull();
    assertThat(cache.putIfAbsent("k", "b")).isEqualTo("a");
    assertThat(cache.replace("k", "b")).isEqualTo("a");
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
  void asynchronousOperationsDoTheSame(TestInfo test) {
    Cache<String, String> cache = here(test);
    var async = cache.async();
    assertThat(async.put("k", "a").thenCompose(done -> async.get("k")).toCompletableFuture().join())
        .isEqualTo("a");
    assertThat(async.putIfAbsent("k", "b").toCompletableFuture().join()).isEqualTo("a");
    assertThat(async.replace("k", "a", "c").toCompletableFuture().join()).isTrue();
    assertThat(async.merge("k", "d", String::concat).toCompletableFuture().join()).isEqualTo("cd");
    assertThat(async.compute("k", (key, value) -> value + "e").toCompletableFuture().join())
        .isEqualTo("cde");
    assertThat(
            async
                .putAll(Map.of("l", "1", "m", "2"))
                .thenCompose(done -> async.size())
                .toCompletableFuture()
                .join())
        .isEqualTo(3L);
    assertThat(async.getAll(List.of("l", "m", "n")).toCompletableFuture().join())
        .isEqualTo(Map.of("l", "1", "m", "2"));
    assertThat(async.remove("k").toCompletableFuture().join()).isTrue();
    assertThat(async.clear().thenCompose(done -> async.size()).toCompletableFuture().join())
        .isZero();
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
  void anEntryIsHiddenAsSoonAsItExpires(TestInfo test) {
    Cache<String, String> cache = here(test);
    Duration lifespan = Duration.ofMillis(60);
    long beforeNanos = System.nanoTime();
    cache.put("short", "v", lifespan);
    long writtenNanos = System.nanoTime();
    cache.put("long", "v", Duration.ofHours(1));
    assertThat(cache.putIfAbsent("forever", "v", Duration.ofSeconds(Long.MAX_VALUE))).isNull();
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
    while (there(test).putIfAbsent("short", "again") != null) { // by the clock of the primary
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

  @Test
  @SuppressWarnings("NullAway")
  void nullsAreRefusedBeforeAnythingHappens(TestInfo test) {
    Cache<String, String> cache = here(test);
    assertThatNullPointerException().isThrownBy(() -> cache.put(null, "v")).withMessage("key");
    assertThatNullPointerException().isThrownBy(() -> cache.put("k", null)).withMessage("value");
    assertThatNullPointerException().isThrownBy(() -> cache.get(null));
    assertThatNullPointerException().isThrownBy(() -> cache.async().remove(null));
    assertThatNullPointerException().isThrownBy(() -> cache.compute("k", null));
    assertThatNullPointerException().isThrownBy(() -> cache.put("k", "v", null));
    assertThatNullPointerException().isThrownBy(() -> cache.putIfAbsent("k", "v", null));
    assertThatNullPointerException().isThrownBy(() -> cache.async().put("k", "v", null));
    Map<String, String> nullValue = new HashMap<>(Map.of("a", "1"));
    nullValue.put("k", null);
    Map<String, String> nullKey = new HashMap<>(Map.of("a", "1"));
    nullKey.put(null, "v");
    for (Map<String, String> bad : List.of(nullValue, nullKey)) {
      assertThatNullPointerException().isThrownBy(() -> cache.putAll(bad));
      assertThatNullPointerException().isThrownBy(() -> cache.async().putAll(bad));
      assertThatNullPointerException().isThrownBy(() -> cache.asMap().putAll(bad));
    }
    List<String> keys = Arrays.asList("a", null);
    assertThatNullPointerException().isThrownBy(() -> cache.getAll(keys));
    assertThatNullPointerException().isThrownBy(() -> cache.async().getAll(keys));
    assertThatNullPointerException()
        .isThrownBy(() -> cache.stream().keys(new HashSet<>(keys)).entries());
    ConcurrentMap<String, String> map = cache.asMap();
    assertThatNullPointerException().isThrownBy(() -> map.put(null, "v"));
    assertThatNullPointerException().isThrownBy(() -> map.put("k", null));
    assertThatNullPointerException().isThrownBy(() -> map.get(null));
    assertThatNullPointerException().isThrownBy(() -> map.remove(null));
    assertThatNullPointerException().isThrownBy(() -> map.containsKey(null));
    assertThatNullPointerException().isThrownBy(() -> map.merge("k", "v", null));
    assertThat(cache.size()).isZero();
  }

  @Test
  void anEntryAboveTheLimitIsRefused(TestInfo test) {
    Cache<String, byte[]> cache =
        cluster.node(0).cache(test.getDisplayName(), String.class, byte[].class);
    cache.put("fits", new byte[(1 << 20) - 4]);
    assertThatThrownBy(() -> cache.put("too large", new byte[1 << 20]))
        .isInstanceOf(EntryTooLargeException.class)
        .hasMessageContaining("maxEntryBytes");
    assertThat(cache.containsKey("too large")).isFalse();
    assertThat(cache.get("fits")).hasSize((1 << 20) - 4);
  }

  @Test
  void aCacheOpenedWithAnotherFormatIsRefused(TestInfo test) {
    String name = test.getDisplayName();
    Cache<String, Integer> early = cluster.node(1).cache(name, String.class, Integer.class);
    for (int i = 0; i < 100; i++) { // so that every node holds some of it
      here(test).put("k" + i, "v");
    }
    assertThatThrownBy(() -> early.get("k1"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(name)
        .hasMessageNotContaining("epoch");
    assertThatThrownBy(() -> early.put("k1", 1)).isInstanceOf(CodecException.class);
    assertThatThrownBy(early::size).isInstanceOf(CodecException.class);
    assertThatThrownBy(early::clear).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> early.iterator().forEachRemaining(entry -> {}))
        .isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> cluster.node(1).cache(name, String.class, Integer.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(name)
        .hasMessageContaining("string to ");
    assertThat(here(test).size()).isEqualTo(100);
  }

  @Test
  @SuppressWarnings("unchecked") // that is what is tested
  void aKeyOfAnotherTypeIsRefusedAlikeByOperationsAndStreams(TestInfo test) {
    Cache<Object, String> raw = (Cache<Object, String>) (Cache<?, ?>) here(test);
    assertThatThrownBy(() -> raw.get(5)).isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> raw.remove(5)).isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> raw.stream().keys(Set.of(5)).keys().iterator().hasNext())
        .isInstanceOf(ClassCastException.class);
    assertThat(raw.asMap().get(5)).isNull();
  }

  @Test
  void aCodecThatThrowsHarmsNobody(TestInfo test) {
    Codec<String> broken =
        new Codec<>() {
          @Override
          public String format() {
            return "string";
          }

          @Override
          public void encode(String value, ByteOutput out) {
            throw new IllegalStateException("cannot encode");
          }

          @Override
          public String decode(ByteInput in) {
            throw new IllegalStateException("cannot decode");
          }
        };
    Codec<String> format = Codecs.string();
    Codec<String> named =
        new Codec<>() {
          @Override
          public String format() {
            return format.format();
          }

          @Override
          public void encode(String value, ByteOutput out) {
            broken.encode(value, out);
          }

          @Override
          public String decode(ByteInput in) {
            return broken.decode(in);
          }
        };
    here(test).put("k", "v");
    Cache<String, String> harmed =
        cluster.node(0).cache(new CacheSettings<>(test.getDisplayName(), Codecs.string(), named));
    assertThatThrownBy(() -> harmed.put("l", "v")).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> harmed.get("k")).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> harmed.async().get("k").toCompletableFuture().join())
        .hasCauseInstanceOf(CodecException.class);
    assertThatThrownBy(() -> harmed.iterator().forEachRemaining(entry -> {}))
        .isInstanceOf(CodecException.class);
    assertThat(here(test).get("k")).isEqualTo("v");
    assertThat(here(test).size()).isEqualTo(1);
  }

  @Test
  void aCodecThatThrowsAnErrorHoldsUpNobody(TestInfo test) {
    AssertionError broken = new AssertionError("an error of a codec");
    Codec<String> throwing =
        new Codec<>() {
          @Override
          public String format() {
            return Codecs.string().format();
          }

          @Override
          public void encode(String value, ByteOutput out) {
            throw broken;
          }

          @Override
          public String decode(ByteInput in) {
            throw broken;
          }
        };
    Cache<String, String> good = here(test);
    good.put("k", "v");
    Cache<String, String> harmed =
        cluster
            .node(0)
            .cache(new CacheSettings<>(test.getDisplayName(), Codecs.string(), throwing));
    assertThatThrownBy(() -> harmed.put("l", "v")).isSameAs(broken);
    assertThatThrownBy(() -> harmed.get("k")).isSameAs(broken);
    assertThatThrownBy(() -> harmed.getAll(List.of("k"))).isSameAs(broken);
    assertThatThrownBy(() -> harmed.putAll(Map.of("l", "v"))).isSameAs(broken);
    assertThatThrownBy(() -> harmed.async().get("k").toCompletableFuture().get(20, SECONDS))
        .hasCause(broken);
    assertThatThrownBy(
            () -> harmed.async().getAll(List.of("k")).toCompletableFuture().get(20, SECONDS))
        .hasCause(broken);
    assertThatThrownBy(() -> harmed.iterator().forEachRemaining(entry -> {})).hasRootCause(broken);
    assertThat(good.get("k")).isEqualTo("v");
  }

  @Test
  void aListenerThatThrowsAnErrorEndsItsStreamOnly(TestInfo test) {
    here(test).put("k", "v");
    AssertionError broken = new AssertionError("an error of a listener");
    StreamListener throwing =
        new StreamListener() {
          @Override
          public void batchReceived(String node, int entries, long bytes) {
            throw broken;
          }
        };
    assertThatThrownBy(
            () ->
                here(test).stream()
                    .listener(throwing)
                    .keys()
                    .iterator()
                    .forEachRemaining(key -> {}))
        .isSameAs(broken);
    assertThat(here(test).stream().keys().iterator().next()).isEqualTo("k");
  }

  @Test
  void aComputationThatThrowsChangesNothing(TestInfo test) {
    Cache<String, String> cache = here(test);
    cache.put("k", "v");
    IllegalStateException refusal = new IllegalStateException("I do not want to");
    BiFunction<String, String, String> throwing =
        (first, second) -> {
          throw refusal;
        };
    assertThatThrownBy(() -> cache.compute("k", throwing)).isSameAs(refusal);
    assertThatThrownBy(() -> cache.computeIfPresent("k", throwing)).isSameAs(refusal);
    assertThatThrownBy(() -> cache.merge("k", "w", throwing)).isSameAs(refusal);
    assertThatThrownBy(
            () ->
                cache.computeIfAbsent(
                    "absent",
                    key -> {
                      throw refusal;
                    }))
        .isSameAs(refusal);
    var async = cache.async();
    for (CompletionStage<String> stage :
        List.of(
            async.compute("k", throwing),
            async.computeIfPresent("k", throwing),
            async.merge("k", "w", throwing))) {
      assertThatThrownBy(() -> stage.toCompletableFuture().get(20, SECONDS)).hasCause(refusal);
    }
    assertThat(cache.get("k")).isEqualTo("v");
    assertThat(cache.size()).isEqualTo(1);
  }

  @Test
  void aKeyThatChangesAfterPutChangesNothing(TestInfo test) {
    Cache<byte[], String> cache =
        cluster.node(0).cache(test.getDisplayName(), byte[].class, String.class);
    byte[] key = {1, 2, 3};
    cache.put(key, "v");
    key[0] = 9;
    assertThat(cache.get(new byte[] {1, 2, 3})).isEqualTo("v");
    assertThat(cache.get(key)).isNull();
  }
}
