package dev.headrace.cluster.node;

import static dev.headrace.api.stream.operator.Expressions.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes of which one has the records as they were, and the other as they are now. */
@Timeout(240)
@SuppressWarnings("SameNameButDifferent") // forms of one record
class EvolvingRecordsTest {

  /** The records as they were. */
  public static final class Old {
    /** A key. */
    public record Id(int number) {}

    /** A part. */
    public record Item(String name, int count) {}

    /** A value. */
    public record Order(String customer, double total, List<Item> items) {}
  }

  /** The records as they are now. */
  public static final class New {
    /** A key. */
    public record Id(int number, int part) {}

    /** A part. */
    public record Item(int count, String name, Optional<BigDecimal> price) {}

    /** A value, without its total. */
    public record Order(List<Item> items, int priority, String customer) {}
  }

  /** Records that do not fit. */
  public static final class Broken {
    /** A value. */
    public record Order(String customer, long total) {}
  }

  private static Old.Order oldOrder(int number) {
    return new Old.Order("c" + number, number, List.of(new Old.Item("pen", number)));
  }

  private static New.Order newOrder(int number) {
    New.Item item = new New.Item(number, "ink", Optional.of(BigDecimal.TEN));
    return new New.Order(List.of(item), number, "c" + number);
  }

  @Test
  void oldAndNewNodesUseOneCache() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      Cache<Integer, Old.Order> before =
          cluster.node(0).cache("orders", Integer.class, Old.Order.class);
      before.put(1, oldOrder(1));
      Cache<Integer, New.Order> after =
          cluster.node(1).cache("orders", Integer.class, New.Order.class);
      New.Order read = new New.Order(List.of(new New.Item(1, "pen", Optional.empty())), 0, "c1");
      assertThat(after.get(1)).isEqualTo(read);
      for (int i = 2; i < 200; i++) {
        if (i % 2 == 0) {
          before.put(i, oldOrder(i));
        } else {
          after.put(i, newOrder(i));
        }
      }
      assertThat(before.get(7)).isEqualTo(new Old.Order("c7", 0, List.of(new Old.Item("ink", 7))));
      assertThat(after.get(7)).isEqualTo(newOrder(7));
      assertThat(contents(before)).hasSize(199).containsEntry(8, oldOrder(8));
      assertThat(contents(after)).hasSize(199).containsEntry(9, newOrder(9));
      assertThat(after.replace(1, read, newOrder(1))).as("without the total").isFalse();
      before.put(0, oldOrder(0));
      assertThat(after.replace(0, after.get(0), newOrder(0))).as("a total of 0").isTrue();
      assertThat(before.replace(2, oldOrder(2), oldOrder(3))).isTrue();
      after.compute(4, (key, order) -> new New.Order(order.items(), 5, order.customer()));
      assertThat(before.get(4)).isEqualTo(new Old.Order("c4", 0, oldOrder(4).items()));
    }
  }

  private static <V> Map<Integer, V> contents(Cache<Integer, V> cache) {
    Map<Integer, V> all = new TreeMap<>();
    cache.stream()
        .entries()
        .toFlowable()
        .blockingForEach(entry -> all.put(entry.getKey(), entry.getValue()));
    return all;
  }

  @Test
  void conditionsFindWhatTheCacheBeganWithAndWhatWasAdded() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      Cache<Integer, Old.Order> before =
          cluster.node(0).cache("orders", Integer.class, Old.Order.class);
      before.put(1, oldOrder(1));
      Cache<Integer, New.Order> after =
          cluster.node(1).cache("orders", Integer.class, New.Order.class);
      after.put(2, newOrder(2));
      assertThat(after.stream().filter(field("customer").eq("c2")).count().get()).isEqualTo(1);
      assertThat(before.stream().filter(field("customer").eq("c2")).count().get()).isEqualTo(1);
      assertThat(after.stream().filter(field("priority").eq(2)).count().get()).isEqualTo(1);
      assertThat(
              after.stream().filter(field("priority").eq(0)).values().toFlowable().blockingFirst())
          .as("written before there were priorities")
          .isEqualTo(after.get(1));
      assertThat(after.stream().filter(field("priority").gt(2)).count().get()).isZero();
      assertThatThrownBy(() -> after.stream().select("priority"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a field that its record has got since the cache began");
    }
  }

  @Test
  void programsThatOpenAnEmptyClusterAgreeOnOneFormat() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      Cache<Integer, Old.Order> before =
          cluster.node(0).cache("orders", Integer.class, Old.Order.class);
      Cache<Integer, New.Order> after =
          cluster.node(1).cache("orders", Integer.class, New.Order.class);
      assertThat(before.get(1)).isNull();
      after.put(1, newOrder(1));
      before.put(2, oldOrder(2));
      assertThat(before.get(1).customer()).isEqualTo("c1");
      assertThat(after.get(2).customer()).isEqualTo("c2");
      // The one who writes first notes its format, unless the other, who opened first, is quicker.
      assertThat(cluster.node(0).caches().join().caches())
          .extracting(CacheStatus::valueFormat)
          .singleElement()
          .isIn(Codecs.record(Old.Order.class).format(), Codecs.record(New.Order.class).format());
    }
  }

  @Test
  void whatCannotBeReadIsRefusedWhenTheCacheIsOpened() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      cluster.node(0).cache("orders", Integer.class, Old.Order.class).put(1, oldOrder(1));
      HeadraceNode other = cluster.node(1);
      assertThat(refusal(() -> other.cache("orders", Integer.class, Broken.Order.class)))
          .hasMessageStartingWith(
              "Cache \"orders\" cannot be opened with the format \"record Order(")
          .hasMessageContaining("\"total\" is \"double\" there, and \"long\" here");
      cluster.node(0).cache("byId", Old.Id.class, Old.Order.class).put(new Old.Id(1), oldOrder(1));
      assertThat(refusal(() -> other.cache("byId", New.Id.class, New.Order.class)))
          .hasMessage(
              "The keys of cache \"byId\" are \"record Id(number int)\", and \"record Id(number"
                  + " int, part int)\" here. Keys must not change, because their bytes decide which"
                  + " are equal: open the cache with the codec that wrote it, or stream it into"
                  + " another one");
    }
  }

  /** Why a cache cannot be opened, once the node has heard that something was written. */
  private static CodecException refusal(Supplier<Cache<?, ?>> opening) {
    while (true) {
      try {
        var unused = opening.get();
        LockSupport.parkNanos(1_000_000);
      } catch (CodecException e) {
        return e;
      }
    }
  }
}
