package dev.headrace.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import dev.headrace.cluster.node.NodeCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Caches of real nodes whose values are JSON. */
final class JsonCacheTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static NodeCluster cluster;

  private record Basket(String owner, List<String> articles) {}

  private record Session(String user, @JsonIgnore String token) {}

  private record Job(String name, Object work) {}

  @BeforeAll
  static void start() {
    cluster = NodeCluster.of(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static <V> Cache<String, V> cache(int node, String name, Codec<V> codec) {
    return cluster.node(node).cache(new CacheSettings<>(name, Codecs.string(), codec));
  }

  @Test
  void whatOneNodeHasWrittenAnotherReads() {
    Codec<Basket> codec = JacksonCodec.of(MAPPER, Basket.class);
    Basket basket = new Basket("ada", List.of("pears", "plums"));
    cache(0, "baskets", codec).put("a", basket);

    assertThat(cache(1, "baskets", codec).get("a")).isEqualTo(basket);
    assertThat(cache(1, "baskets", codec).remove("a", basket)).isTrue();
  }

  @Test
  void equalMapsAreFoundByConditionalWrites() {
    Codec<Map<String, Integer>> codec =
        JacksonCodec.of(
            MAPPER,
            MAPPER.getTypeFactory().constructMapType(Map.class, String.class, Integer.class));
    Cache<String, Map<String, Integer>> maps = cache(0, "maps", codec);
    Map<String, Integer> one = new HashMap<>(1024);
    Map<String, Integer> same = new HashMap<>(2);
    for (int i = 0; i < 20; i++) {
      one.put("key-" + i, i);
      same.put("key-" + (19 - i), 19 - i);
    }
    maps.put("a", one);
    assertThat(maps.replace("a", same, Map.of())).isTrue();
  }

  @Test
  void aKeyMayBeJson() {
    Codec<Basket> codec = JacksonCodec.of(MAPPER, Basket.class);
    Cache<Basket, String> owners =
        cluster.node(0).cache(new CacheSettings<>("owners", codec, Codecs.string()));
    owners.put(new Basket("ada", List.of("pears")), "first");
    assertThat(owners.get(new Basket("ada", List.of("pears")))).isEqualTo("first");
  }

  @Test
  void aCacheIsNotOpenedAsSomethingElse() {
    cache(0, "orders", JacksonCodec.of(MAPPER, Basket.class)).put("a", new Basket("a", List.of()));
    for (Codec<?> other :
        List.of(
            JacksonCodec.of(new CBORMapper(), Basket.class),
            JacksonCodec.of(MAPPER, Session.class),
            Codecs.of(Basket.class),
            Codecs.string())) {
      assertThatThrownBy(() -> cache(1, "orders", other).get("a"))
          .as(other.format())
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("orders");
    }
  }

  @Test
  void theFirstValueThatLosesAPartIsRefusedUnlessThatIsSaid() {
    JacksonCodec<Session> codec = JacksonCodec.of(MAPPER, Session.class);
    Session session = new Session("ada", "secret");

    Cache<String, Session> strict = cache(0, "strict", codec);
    assertThatThrownBy(() -> strict.put("a", session))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("not equal")
        .hasMessageContaining("json Session");
    assertThat(strict.get("a")).isNull();

    Cache<String, Session> frank = cache(0, "frank", codec.withoutEquality());
    frank.put("a", session);
    assertThat(frank.get("a")).isEqualTo(new Session("ada", null));
  }

  @Test
  void whatJacksonThrowsIsAmongTheCauses() {
    Cache<String, Job> jobs = cache(0, "jobs", JacksonCodec.of(MAPPER, Job.class));
    assertThatThrownBy(() -> jobs.put("a", new Job("j", new Object())))
        .isInstanceOf(CodecException.class)
        .hasStackTraceContaining("Job[\"work\"]")
        .hasRootCauseInstanceOf(InvalidDefinitionException.class);

    String format = JacksonCodec.of(MAPPER, Basket.class).format();
    cache(0, "broken", Codecs.encoded(format)).put("a", new byte[] {'{'});
    Cache<String, Basket> broken = cache(0, "broken", JacksonCodec.of(MAPPER, Basket.class));
    assertThatThrownBy(() -> broken.get("a"))
        .isInstanceOf(CodecException.class)
        .hasRootCauseInstanceOf(JsonEOFException.class);
  }
}
