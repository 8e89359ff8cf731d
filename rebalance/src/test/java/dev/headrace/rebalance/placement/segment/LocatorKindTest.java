package dev.headrace.rebalance.placement.segment;

import static dev.headrace.rebalance.placement.segment.Counting.KEYS;
import static dev.headrace.rebalance.placement.segment.Counting.balance;
import static dev.headrace.rebalance.placement.segment.Counting.hashes;
import static dev.headrace.rebalance.placement.segment.Counting.keys;
import static dev.headrace.rebalance.placement.segment.Counting.moved;
import static dev.headrace.rebalance.placement.segment.Counting.name;
import static dev.headrace.rebalance.placement.segment.Counting.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What all kinds of locators promise, and how near each comes to what is possible. */
final class LocatorKindTest {

  /** The fullest of ten nodes over the mean, where it is more than chance makes it. */
  private static final Map<LocatorKind, Double> BALANCE =
      Map.of(
          LocatorKind.SEGMENT_TABLE, 1.04,
          LocatorKind.KETAMA_MD5, 1.25,
          LocatorKind.KETAMA_MURMUR3, 1.25,
          LocatorKind.KETAMA_XXH3, 1.25,
          LocatorKind.SIMPLE_FNV1A, 6.0);

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void spreadsKeysOverAllNodes(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(10));

    assertThat(balance(locator)).isBetween(1.0, BALANCE.getOrDefault(kind, 1.02));
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void movesOnlyWhatANodeGetsThatJoins(LocatorKind kind) {
    NodeLocator before = kind.locator(nodes(10));
    NodeLocator after = before.with(new LocatorNode("new:1"));

    long gets = keys(after)[10];
    assertThat(gets).isPositive();
    assertThat((double) moved(before, after) / gets).isBetween(1.0, mostMoved(kind));
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void movesOnlyWhatANodeHadThatLeavesWhicheverItIs(LocatorKind kind) {
    NodeLocator before = kind.locator(nodes(10));
    for (int node : List.of(0, 4, 9)) {
      NodeLocator after = before.without("10.0.0." + node + ":1");

      assertThat(after.nodes()).hasSize(9).isSubsetOf(before.nodes());
      assertThat((double) moved(before, after) / keys(before)[node])
          .isBetween(1.0, mostMoved(kind));
    }
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void staysExactThroughManyChanges(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(6));
    for (int i = 0; i < 6; i++) {
      NodeLocator joined = locator.with(new LocatorNode("new-" + i));
      NodeLocator left = joined.without("10.0.0." + i + ":1");
      assertThat((double) moved(joined, left))
          .isLessThanOrEqualTo(mostMoved(kind) * keys(joined)[place(joined, "10.0.0." + i + ":1")]);
      locator = left;
    }
    assertThat(locator.nodes()).extracting(LocatorNode::name).allMatch(n -> n.startsWith("new-"));
    assertThat(balance(locator)).isLessThan(BALANCE.getOrDefault(kind, 1.05) + 0.1);
  }

  private static int place(NodeLocator locator, String name) {
    return locator.nodes().stream().map(LocatorNode::name).toList().indexOf(name);
  }

  /** Maglev moves some keys for the sake of its one table. */
  private static double mostMoved(LocatorKind kind) {
    return kind == LocatorKind.MAGLEV ? 1.3 : 1.0 + 1e-9;
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void givesNodesKeysInProportionToTheirWeights(LocatorKind kind) {
    NodeLocator locator =
        kind.locator(
            List.of(
                new LocatorNode("one", 1), new LocatorNode("two", 2), new LocatorNode("five", 5)));
    int[] keys = keys(locator);

    double tolerance = BALANCE.getOrDefault(kind, 1.02) - 1;
    assertThat(keys[0] * 8.0 / KEYS).isBetween(1 - 2 * tolerance, 1 + 2 * tolerance);
    assertThat(keys[2] * 8.0 / 5 / KEYS).isBetween(1 - 2 * tolerance, 1 + 2 * tolerance);
  }

  /** A segment table has as many owners as it was filled with; see SegmentLocatorTest. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEGMENT_TABLE")
  void namesFurtherNodesNoneTwiceTheFirstOneFirst(LocatorKind kind) {
    NodeLocator locator =
        kind.locator(List.of(new LocatorNode("a", 9), new LocatorNode("b"), new LocatorNode("c")));
    int[] owners = new int[5];
    hashes()
        .limit(1000)
        .forEach(
            hash -> {
              assertThat(locator.locate(hash, owners)).isEqualTo(3);
              assertThat(owners[0]).isEqualTo(locator.locate(hash));
              assertThat(Arrays.copyOf(owners, 3)).containsExactlyInAnyOrder(0, 1, 2);
            });
    assertThat(locator.locate(0, new int[0])).isZero();
  }

  /** The others decide anew who gets the lost node's keys. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SEGMENT_TABLE", "MAGLEV", "JUMP_BACK_ANCHOR"})
  void theNextNodeIsWhereKeysGoWhenTheFirstIsLost(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(5));
    NodeLocator without = locator.without("10.0.0.2:1");
    int[] owners = new int[2];
    hashes()
        .limit(2000)
        .filter(hash -> locator.locate(hash) == 2)
        .forEach(
            hash -> {
              locator.locate(hash, owners);
              assertThat(name(without, hash)).isEqualTo(locator.nodes().get(owners[1]).name());
            });
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void textsAndTheirBytesHaveTheSameNode(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(7));
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] bytes = ("-" + i + " schlüssel").getBytes(StandardCharsets.UTF_8);
      int place = locator.locate(i + " schlüssel");
      assertThat(locator.locate(bytes, 1, bytes.length - 1)).isEqualTo(place);
      places.add(place);
    }
    assertThat(places.stream().distinct().count()).isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource(LocatorKind.class)
  void badInputIsRefusedWithAdvice(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(1));

    assertThatThrownBy(() -> kind.locator(List.of()))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("give at least one");
    assertThatThrownBy(() -> kind.locator(List.of(new LocatorNode("a"), new LocatorNode("a", 2))))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("Node a is there twice");
    assertThatThrownBy(() -> locator.with(new LocatorNode("10.0.0.0:1", 3)))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("10.0.0.0:1 is there twice");
    assertThatThrownBy(() -> locator.without("elsewhere"))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("no node elsewhere among the 1 nodes");
    assertThatThrownBy(() -> locator.without("10.0.0.0:1"))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("add another node before");
    assertThatThrownBy(() -> locator.locate((CharSequence) null))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("key is null");
  }

  @ParameterizedTest
  @EnumSource(names = {"JUMP", "JUMP_BACK", "JUMP_BACK_ANCHOR", "KETAMA_MD5", "SIMPLE_FNV1A"})
  void weightsThatAskForTooMuchAreRefused(LocatorKind kind) {
    NodeLocator locator = kind.locator(nodes(2));

    for (double weight : new double[] {1e9, 1e300}) {
      assertThatThrownBy(() -> locator.with(new LocatorNode("heavy", weight)))
          .isInstanceOf(LocatorException.class)
          .hasMessageContaining("give weights that lie nearer to each other");
    }
  }

  @Test
  void aKindIsFoundByItsName() {
    assertThat(LocatorKind.named("jump-back-anchor")).isEqualTo(LocatorKind.JUMP_BACK_ANCHOR);
    assertThatThrownBy(() -> LocatorKind.named("modulo"))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("no locator \"modulo\"")
        .hasMessageContaining("segment-table");
  }
}
