package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.any;
import static dev.headrace.api.stream.operator.Expressions.field;
import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;
import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.TooManyGroupsException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.operator.Order;
import dev.headrace.stream.operator.Orders;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.store.ReplicaState;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Streams with operators, over several nodes in one thread. */
class StreamOperatorsTest {

  private static final Codec<Order> ORDERS = Codecs.record(Order.class);

  private final Map<String, Order> content = new TreeMap<>();

  private CacheStream<String, Order> orders(SyntheticCluster cluster) {
    return StreamPlan.over(
        cluster.environment(),
        new CacheSettings<>(SyntheticCluster.CACHE, Codecs.string(), ORDERS),
        0);
  }

  private void put(SyntheticCluster cluster, String key, Order order) {
    content.put(key, order);
    cluster.put(bytes(Codecs.string(), key), bytes(ORDERS, order), 0);
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }

  private void fill(SyntheticCluster cluster, int entries, Random random) {
    Orders orders = new Orders(random);
    for (int i = 0; i < entries; i++) {
      put(cluster, i + orders.text(), orders.order());
    }
  }

  private static <T> T result(SyntheticCluster cluster, Reduction<T> reduction) {
    CompletableFuture<T> future = reduction.toCompletionStage();
    cluster.settle();
    assertThat(future).isDone();
    return future.join();
  }

  private static <T> List<T> read(
      SyntheticCluster cluster, org.reactivestreams.Publisher<T> publisher) {
    Collector<T> collector = new Collector<>(Long.MAX_VALUE);
    publisher.subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).isEmpty();
    assertThat(collector.completions).isEqualTo(1);
    return collector.received;
  }

  @Test
  void onlyWhatAConditionAcceptsIsSent() {
    for (int seed = 0; seed < 60; seed++) {
      content.clear();
      Random random = new Random(seed);
      SyntheticCluster cluster = new SyntheticCluster(seed, 1 + random.nextInt(4), 9, 2);
      fill(cluster, random.nextInt(400), random);
      Orders.Wanted wanted = new Orders(random).condition(2);
      int batchBytes = 1 + random.nextInt(random.nextBoolean() ? 300 : 30_000);
      CacheStream<String, Order> stream =
          orders(cluster)
              .batchSize(1 + random.nextInt(100))
              .batchBytes(batchBytes)
              .filter(wanted.condition());
      Set<String> expected =
          content.entrySet().stream()
              .filter(entry -> wanted.predicate().test(entry.getKey(), entry.getValue()))
              .map(Map.Entry::getKey)
              .collect(Collectors.toSet());
      List<String> keys =
          switch (random.nextInt(3)) {
            case 0 -> read(cluster, stream.entries()).stream().map(Map.Entry::getKey).toList();
            case 1 -> read(cluster, stream.keys());
            default -> {
              assertThat(read(cluster, stream.values())).hasSameSizeAs(expected);
              yield List.copyOf(expected);
            }
          };
      assertThat(keys).as("seed " + seed).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(result(cluster, stream.count())).isEqualTo(expected.size());
      assertThat(cluster.buffersOut).isZero();
    }
  }

  @Test
  void severalFiltersMustAllAccept() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 5, 1);
    cluster.fill(200);
    CacheStream<String, String> stream =
        cluster.stream()
            .filter(key().startsWith("key-1"))
            .filter(value().in("value-1", "value-17", "value-2"));
    assertThat(read(cluster, stream.keys())).containsExactlyInAnyOrder("key-1", "key-17");
    assertThat(result(cluster, stream.keys(Set.of("key-17", "key-9", "absent")).count()))
        .isEqualTo(1);
    assertThat(read(cluster, stream.keys(Set.of("key-1", "key-2")).entries())).hasSize(1);
  }

  @Test
  void aFilterThatAcceptsNothingGetsOnInBoundedSteps() {
    SyntheticCluster cluster = new SyntheticCluster(4, 2, 1, 1);
    cluster.fill(100_000);
    CacheStream<String, String> none = cluster.stream().filter(key().eq("nobody"));
    assertThat(read(cluster, none.entries())).isEmpty();
    assertThat(cluster.sent.size()).isBetween(3, 30);
    assertThat(result(cluster, none.count())).isZero();
  }

  @Test
  void aCancelledStreamStopsThoughItsFilterAcceptsNothing() {
    SyntheticCluster cluster = new SyntheticCluster(5, 1, 1, 1);
    cluster.fill(100_000);
    EntryCondition[] nobody = new EntryCondition[100];
    Arrays.setAll(nobody, i -> key().eq("nobody-" + i));
    Collector<String> collector = new Collector<>(1);
    CreditListener cancelling =
        new CreditListener() {
          @Override
          public void credited(int entries, long bytes) {
            if (cluster.sent.size() == 3) {
              collector.subscription.cancel();
            }
          }
        };
    CacheStream<String, String> stream = cluster.stream().filter(any(nobody));
    stream.listener(cancelling).keys().subscribe(collector);
    cluster.settle();
    assertThat(collector.isTerminated()).isFalse();
    assertThat(cluster.sent).hasSizeBetween(3, 20);
    assertThat(cluster.buffersOut).isZero();
    cluster.sent.clear();
    assertThat(read(cluster, stream.keys())).isEmpty();
    assertThat(cluster.sent).hasSizeGreaterThan(100);
  }

  @Test
  void rowsHaveOnlyWhatIsSelected() {
    for (int seed = 0; seed < 30; seed++) {
      content.clear();
      Random random = new Random(seed);
      SyntheticCluster cluster = new SyntheticCluster(seed, 1 + random.nextInt(4), 7, 1);
      fill(cluster, random.nextInt(300), random);
      CacheStream<String, Order> stream =
          orders(cluster)
              .batchSize(1 + random.nextInt(60))
              .batchBytes(1 + random.nextInt(random.nextBoolean() ? 200 : 9_000));
      Map<String, Row> rows = new HashMap<>();
      read(cluster, stream.select(key(), field("symbol"), field("customer.address"), field("at")))
          .forEach(row -> assertThat(rows.put(row.get("key", String.class), row)).isNull());
      assertThat(rows.keySet()).isEqualTo(content.keySet());
      content.forEach(
          (key, order) -> {
            Row row = rows.get(key);
            assertThat(row.get("symbol")).isEqualTo(order.symbol());
            assertThat(row.get("at")).isEqualTo(order.at());
            assertThat(row.get("customer.address"))
                .isEqualTo(order.customer() == null ? null : order.customer().address());
          });
      List<Brief> briefs = read(cluster, stream.filter(field("open").eq(true)).select(Brief.class));
      assertSameElements(
          briefs,
          content.values().stream()
              .filter(Order::open)
              .map(order -> new Brief(order.symbol(), order.quantity(), order.customer()))
              .toList());
    }
  }

  /** Some of an order. */
  public record Brief(String symbol, int quantity, Order.Customer customer) {}

  /** Not of an order. */
  public record Wrong(int number) {}

  @Test
  void aSelectionThatDoesNotFitIsRefused() {
    SyntheticCluster cluster = new SyntheticCluster(6, 1, 1, 1);
    CacheStream<String, Order> stream = orders(cluster);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.select(Wrong.class))
        .withMessageContaining("\"number\" of Wrong is a int");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.select("symbol", "symbol"))
        .withMessageContaining("selected twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.select(new String[0]))
        .withMessageContaining("1 to 64 parts");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> stream.groupBy("symbol", Integer.class))
        .withMessageContaining("is a String and not a Integer");
    Row row = new Row(List.of("a"), "x");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> row.get("b"))
        .withMessageContaining("not in this row");
  }

  @Test
  void sumsAndGroupsAreThoseOfTheContent() {
    for (int seed = 0; seed < 40; seed++) {
      content.clear();
      Random random = new Random(seed);
      SyntheticCluster cluster = new SyntheticCluster(seed, 1 + random.nextInt(4), 7, 2);
      fill(cluster, random.nextInt(500), random);
      CacheStream<String, Order> stream =
          orders(cluster).batchBytes(1 + random.nextInt(random.nextBoolean() ? 400 : 90_000));
      FieldSummary quantity = result(cluster, stream.summarize(field("quantity")));
      var expected = content.values().stream().mapToLong(Order::quantity).summaryStatistics();
      assertThat(quantity.entries()).isEqualTo(content.size());
      assertThat(quantity.sum()).isEqualTo(expected.getSum());
      assertThat(quantity.min().isPresent()).isEqualTo(expected.getCount() > 0);
      quantity.min().ifPresent(least -> assertThat(least).isEqualTo(expected.getMin()));
      quantity.max().ifPresent(most -> assertThat(most).isEqualTo(expected.getMax()));
      var weights = content.values().stream().mapToDouble(Order::weight).summaryStatistics();
      assertThat(result(cluster, stream.avg("weight")).orElse(0)).isEqualTo(weights.getAverage());
      Map<String, Long> counts = new HashMap<>();
      content.values().forEach(order -> counts.merge(String.valueOf(order.side()), 1L, Long::sum));
      Map<String, Long> found = new HashMap<>();
      result(cluster, stream.groupBy("side", Order.Side.class).count())
          .forEach((side, count) -> found.put(String.valueOf(side), count));
      assertThat(found).isEqualTo(counts);
      Map<String, Long> sums = new HashMap<>();
      content.forEach((key, order) -> sums.merge(key, (long) order.quantity(), Long::sum));
      assertThat(result(cluster, stream.groupBy(key(), String.class).sum("quantity")))
          .isEqualTo(sums);
      assertThat(cluster.buffersOut).isZero();
    }
  }

  @Test
  void wholeNumbersAreAddedUpWithoutLoss() {
    SyntheticCluster cluster = new SyntheticCluster(7, 2, 3, 1);
    Order one = new Orders(new Random(1)).order();
    for (int i = 0; i < 5; i++) {
      put(cluster, "k" + i, withNumber(one, Long.MAX_VALUE));
    }
    assertThat(result(cluster, orders(cluster).sum("number")).toString())
        .isEqualTo("46116860184273879035");
    put(cluster, "k5", withNumber(one, Long.MIN_VALUE));
    put(cluster, "k6", withNumber(one, -Long.MAX_VALUE));
    put(cluster, "k7", withNumber(one, -Long.MAX_VALUE));
    put(cluster, "k8", withNumber(one, -Long.MAX_VALUE));
    assertThat(result(cluster, orders(cluster).sum("number"))).isEqualTo(Long.MAX_VALUE - 1);
  }

  private static Order withNumber(Order order, Long number) {
    return new Order(
        order.quantity(),
        number,
        order.price(),
        order.symbol(),
        order.customer(),
        order.at(),
        order.open(),
        order.weight(),
        order.shelf(),
        order.grade(),
        order.mark(),
        order.id(),
        order.note(),
        order.side());
  }

  @Test
  void tooManyGroupsAreATypedError() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 3, 1);
    cluster.fill(50);
    CompletableFuture<?> future =
        cluster.stream().groupBy(key(), String.class).maxGroups(49).count().toCompletionStage();
    cluster.settle();
    assertThat(future)
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(TooManyGroupsException.class)
        .withMessageContaining("more than 49 groups");
    assertThat(cluster.buffersOut).isZero();
    assertThat(result(cluster, cluster.stream().groupBy(key(), String.class).maxGroups(50).count()))
        .hasSize(50);
  }

  @Test
  void countingAsksEachNodeOnceAndLooksAtNoEntry() {
    SyntheticCluster cluster = new SyntheticCluster(9, 6, 256, 2);
    cluster.fill(20_000);
    assertThat(result(cluster, cluster.stream().count())).isEqualTo(20_000);
    assertThat(cluster.sent).hasSize(6);
  }

  @Test
  void whatHasExpiredIsNotCounted() {
    SyntheticCluster cluster = new SyntheticCluster(10, 3, 8, 2);
    cluster.fill(1000);
    for (int i = 0; i < 300; i++) {
      cluster.put("short-" + i, "v", cluster.clusterMillis + 1000);
    }
    assertThat(result(cluster, cluster.stream().count())).isEqualTo(1300);
    cluster.clusterMillis += 1000;
    assertThat(result(cluster, cluster.stream().count())).isEqualTo(1000);
    assertThat(result(cluster, cluster.stream().filter(key().startsWith("short")).count()))
        .isZero();
  }

  @Test
  void whatExpiredOnItsWayIsLookedUpAgainWithTheSameFilterAndSelection() {
    SyntheticCluster cluster = new SyntheticCluster(11, 2, 3, 1);
    for (int i = 0; i < 100; i++) {
      cluster.put("key-" + i, "wanted-" + i, cluster.clusterMillis + 1000);
    }
    CacheStream<String, String> stream = cluster.stream().filter(value().startsWith("wanted"));
    Collector<Map.Entry<String, String>> entries = new Collector<>(1);
    Collector<Row> rows = new Collector<>(1);
    stream.entries().subscribe(entries);
    stream.select(value()).subscribe(rows);
    cluster.settle();
    cluster.put("key-1", "unwanted");
    cluster.put("key-2", "wanted anew");
    cluster.put("key-3", "wanted anew");
    cluster.clusterMillis += 1000;
    entries.subscription.request(Long.MAX_VALUE);
    rows.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(entries.completions).isEqualTo(1);
    assertThat(rows.completions).isEqualTo(1);
    // One that was seen before it expired, and the two that were put anew.
    assertThat(entries.received).hasSizeBetween(2, 3);
    assertThat(entries.received.stream().map(Map.Entry::getValue)).doesNotContain("unwanted");
    assertThat(rows.received).hasSizeBetween(2, 3);
    assertThat(rows.received.stream().map(row -> row.get("value", String.class)))
        .doesNotContain("unwanted")
        .contains("wanted anew");
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void resultsAreExactWhateverHappensToTheNodes() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      SyntheticCluster cluster =
          new SyntheticCluster(random.nextLong(), 3, 1 + random.nextInt(12), 2);
      cluster.maxDelayNanos = 1L << random.nextInt(24);
      cluster.failuresPerMille = random.nextInt(200);
      cluster.localAtOnce = random.nextBoolean();
      cluster.fill(random.nextInt(3000));
      CacheStream<String, String> stream =
          cluster.stream()
              .batchSize(1 + random.nextInt(200))
              .batchBytes(50 + random.nextInt(4000))
              .parallelism(1 + random.nextInt(4));
      List<CompletableFuture<?>> futures =
          List.of(
              stream.count().toCompletionStage(),
              stream.filter(key().startsWith("key-1")).count().toCompletionStage(),
              stream.groupBy(value(), String.class).count().toCompletionStage());
      Collector<Row> rows = new Collector<>(Long.MAX_VALUE);
      stream.filter(key().startsWith("key-2")).select(key()).subscribe(rows);
      for (int i = random.nextInt(60); i > 0; i--) {
        cluster.step();
      }
      disturb(cluster, random);
      cluster.settle();
      String label = "seed " + seed;
      Set<String> keys = cluster.content.keySet();
      assertThat(futures.get(0).join()).as(label).isEqualTo((long) keys.size());
      assertThat(futures.get(1).join())
          .as(label)
          .isEqualTo(keys.stream().filter(key -> key.startsWith("key-1")).count());
      assertThat((Map<?, ?>) futures.get(2).join()).as(label).hasSize(keys.size());
      assertThat(((Map<?, ?>) futures.get(2).join()).values())
          .as(label)
          .allMatch(count -> Objects.equals(count, 1L));
      assertThat(rows.errors).as(label).isEmpty();
      Set<Object> seen = new HashSet<>();
      rows.received.forEach(row -> assertThat(seen.add(row.get("key"))).as(label).isTrue());
      assertThat(seen)
          .as(label)
          .isEqualTo(
              keys.stream().filter(key -> key.startsWith("key-2")).collect(Collectors.toSet()));
      assertThat(cluster.buffersOut).as(label).isZero();
    }
  }

  @Test
  void conditionsOnAddedComponentsWaitUntilAllNodesKnowThem() {
    String format = "record Address(city string)";
    Codec<Order.Address> codec = Codecs.evolved(Codecs.record(Order.Address.class), format);
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 8, 2);
    for (int i = 0; i < 20; i++) {
      Order.Address address = new Order.Address("Bonn", i % 2 == 0 ? null : (long) i);
      cluster.put(bytes(Codecs.string(), "key-" + i), bytes(codec, address), 0);
    }
    CacheStream<String, Order.Address> stream =
        StreamPlan.over(
            cluster.environment(),
            new CacheSettings<>(SyntheticCluster.CACHE, Codecs.string(), codec),
            0);

    cluster.protocol = Operators.ADDED_PROTOCOL - 1;
    cluster.publish();
    assertThat(result(cluster, stream.filter(field("city").eq("Bonn")).count())).isEqualTo(20);
    assertThatThrownBy(() -> stream.filter(field("code").isNull()).count())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("this cluster speaks version 7: upgrade the nodes that are left");

    cluster.protocol = Operators.ADDED_PROTOCOL;
    cluster.publish();
    assertThat(result(cluster, stream.filter(field("code").isNull()).count())).isEqualTo(10);
    assertThat(result(cluster, stream.filter(field("code").gt(9)).count())).isEqualTo(5);
  }

  static void disturb(SyntheticCluster cluster, Random random) {
    if (random.nextBoolean()) {
      cluster.crash(1 + random.nextInt(2));
      for (int i = random.nextInt(20); i > 0; i--) {
        cluster.step();
      }
      cluster.removeDead();
    } else {
      int newcomer = cluster.addNode();
      for (int s = 0; s < cluster.space.segments(); s++) {
        int[] owners = cluster.ownersOf(s);
        cluster.migrate(s, owners[0], newcomer);
        cluster.own(s, newcomer, owners[1]);
        if (owners[0] != 0 && random.nextBoolean()) {
          cluster.nodes.get(owners[0]).store.replica(s).become(ReplicaState.COPYING);
        }
      }
    }
    cluster.publish();
  }
}
