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
import dev.headrace.cluster.node.NodeCluster;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** What a cache refuses, and what it makes of faults in code that is not its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheFaultsTest {
  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = new NodeCluster();
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

  /** Calls itself a codec of strings, but takes none. */
  private static final class BrokenCodec implements Codec<String> {
    @Override
    public String format() {
      return Codecs.string().format();
    }

    @Override
    public void encode(String value, ByteOutput out) {
      throw new IllegalStateException("cannot encode");
    }

    @Override
    public String decode(ByteInput in) {
      throw new IllegalStateException("cannot decode");
    }
  }

  @Test
  void aCodecThatThrowsHarmsNobody(TestInfo test) {
    Codec<String> named = new BrokenCodec();
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
    assertThatThrownBy(() -> harmed.async().get("k").toCompletableFuture().get(60, SECONDS))
        .hasCause(broken);
    assertThatThrownBy(
            () -> harmed.async().getAll(List.of("k")).toCompletableFuture().get(60, SECONDS))
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
      assertThatThrownBy(() -> stage.toCompletableFuture().get(60, SECONDS)).hasCause(refusal);
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
