package dev.headrace.jackson3;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.jackson.JacksonCodec;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Programs with Jackson 2 and programs with Jackson 3 use one cache. */
final class TwoJacksonsTest {
  private static NodeCluster cluster;

  private record Basket(String owner, List<String> articles) {}

  private static final Basket BASKET = new Basket("ada", List.of("pears", "plums"));

  @BeforeAll
  static void start() {
    cluster = NodeCluster.of(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Cache<String, Basket> baskets(int node, Codec<Basket> codec) {
    return cluster.node(node).cache(new CacheSettings<>("baskets", Codecs.string(), codec));
  }

  @Test
  void whatOneHasWrittenTheOtherReads() {
    Cache<String, Basket> older = baskets(0, JacksonCodec.of(new ObjectMapper(), Basket.class));
    Cache<String, Basket> newer = baskets(1, Jackson3Codec.of(new JsonMapper(), Basket.class));
    older.put("a", BASKET);
    newer.put("b", BASKET);

    assertThat(newer.get("a")).isEqualTo(BASKET);
    assertThat(older.get("b")).isEqualTo(BASKET);
  }
}
