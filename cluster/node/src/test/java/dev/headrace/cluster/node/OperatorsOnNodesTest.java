package dev.headrace.cluster.node;

import static dev.headrace.api.stream.operator.Expressions.field;
import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.lifespan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.api.stream.operator.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams with operators over real nodes. */
@Timeout(240)
class OperatorsOnNodesTest {
  private static final int TRADES = 20_000;
  private static final List<String> SYMBOLS = List.of("ABC", "DEF", "GHI", "JKL");

  /** A value. */
  public record Trade(String symbol, double price, int quantity, Venue venue) {}

  /** A record within the value. */
  public record Venue(String country, String name) {}

  /** A part of a trade. */
  public record Price(String symbol, double price) {}

  private static Cache<String, Trade> trades(NodeCluster cluster, int node) {
    return cluster.node(node).cache("trades", String.class, Trade.class);
  }

  private static Trade trade(int i) {
    Venue venue = i % 10 == 0 ? null : new Venue(i % 3 == 0 ? "DE" : "FR", "venue " + i % 7);
    return new Trade(SYMBOLS.get(i % 4), i / 2.0, i % 100, venue);
  }

  private static Cache<String, Trade> filled(NodeCluster cluster, int node) {
    Map<String, Trade> all = new HashMap<>();
    for (int i = 0; i < TRADES; i++) {
      all.put("trade-" + i, trade(i));
    }
    Cache<String, Trade> cache = trades(cluster, node);
    cache.putAll(all);
    return cache;
  }

  @Test
  void nodesChooseSelectAndReduceWithoutAnyClassOfTheUser() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      Cache<String, Trade> cache = filled(cluster, 2);
      CacheStream<String, Trade> german =
          cache.stream().filter(field("venue.country").eq("DE").and(field("quantity").ge(98)));
      List<Map.Entry<String, Trade>> found = new ArrayList<>();
      german.entries().toFlowable().blockingForEach(found::add);
      assertThat(found).isNotEmpty();
      assertThat(found)
          .allMatch(
              each ->
                  each.getValue().venue().country().equals("DE")
                      && each.getValue().quantity() >= 98);
      long expected =
          IntStream.range(0, TRADES)
              .filter(i -> i % 10 != 0 && i % 3 == 0 && i % 100 >= 98)
              .count();
      assertThat(found).hasSize((int) expected);
      assertThat(german.count().get()).isEqualTo(expected);
      assertThat(german.count().toSingle().blockingGet()).isEqualTo(expected);

      Set<Price> prices = new HashSet<>();
      german.select(Price.class).toFlowable().blockingForEach(prices::add);
      assertThat(prices).hasSize((int) expected);
      try (CloseableIterator<Row> rows = german.select(key(), field("venue.name")).iterator()) {
        Row first = rows.next();
        assertThat(first.names()).containsExactly("key", "venue.name");
        assertThat(first.get("venue.name", String.class)).startsWith("venue ");
      }

      Set<Price> all = new HashSet<>();
      cache.stream().select(Price.class).toFlowable().blockingForEach(all::add);
      assertThat(all).hasSize(TRADES);

      Map<String, Number> sums =
          cache.stream().groupBy("symbol", String.class).sum("quantity").get();
      assertThat(sums).hasSize(4);
      long sum = sums.values().stream().mapToLong(Number::longValue).sum();
      assertThat(cache.stream().sum("quantity").get()).isEqualTo(sum);
      assertThat(sum).isEqualTo(TRADES / 100 * 4950L);
      FieldSummary price = cache.stream().summarize(field("price")).get();
      assertThat(price.max()).contains((TRADES - 1) / 2.0);
      assertThat(price.average().getAsDouble()).isEqualTo((TRADES - 1) / 4.0);
      Map<String, Long> countries =
          cache.stream().groupBy("venue.country", String.class).count().get();
      assertThat(countries).containsOnlyKeys("DE", "FR", null).containsEntry(null, TRADES / 10L);
    }
  }

  @Test
  void aCountIsExactWithExpiredEntriesAndWhileANodeDies() {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      Cache<String, Trade> cache = filled(cluster, 0);
      for (int i = 0; i < 50; i++) {
        cache.put("short-" + i, trade(i), Duration.ofMillis(1));
        cache.put("long-" + i, trade(i), Duration.ofHours(1));
      }
      Quotes.await(() -> cache.get("short-49") == null);
      assertThat(cache.stream().count().get()).isEqualTo(TRADES + 50);
      assertThat(cache.stream().filter(lifespan().isNotNull()).count().get()).isEqualTo(50);
      assertThat(cache.stream().filter(lifespan().gt(Duration.ofHours(2))).count().get()).isZero();
      List<CompletableFuture<Map<String, Long>>> counts = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        counts.add(cache.stream().groupBy("symbol", String.class).count().toCompletionStage());
        if (i == 10) {
          cluster.node(2).kill();
        }
      }
      counts.forEach(
          count ->
              assertThat(count.join().values().stream().mapToLong(each -> each).sum())
                  .isEqualTo(TRADES + 50));
    }
  }

  @Test
  void whatTheCacheDoesNotHaveIsRefusedBeforeAnythingIsAsked() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      CacheStream<String, Trade> stream = trades(cluster, 0).stream();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> stream.filter(field("prize").gt(1)))
          .withMessageContaining("the fields of Trade are symbol string, price double");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> stream.sum("symbol"))
          .withMessageContaining("no number to add up");
      assertThat(stream.count().get()).isZero();
      assertThat(stream.sum("quantity").get()).isEqualTo(0L);
      assertThat(stream.avg("price").get()).isEmpty();
    }
  }
}
