package dev.headrace.rebalance.placement.segment;

import static dev.headrace.rebalance.placement.segment.Counting.hashes;
import static dev.headrace.rebalance.placement.segment.Counting.nodes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SegmentLocatorTest {

  private static final int SEGMENTS = 10_000;
  private static final long HASH_SEED = 77;

  private final List<Member> members =
      List.of(member(1, 1), member(2, 0), member(3, 2), member(4, 1));

  @Test
  void findsTheOwnersThatTheClustersTableNames() {
    SegmentTable table = table(new WeightedRendezvous().place(300, 2, members));
    SegmentLocator locator = SegmentLocator.of(table);
    HashSpace space = new HashSpace(300, HASH_SEED);
    int[] owners = new int[3];
    for (int i = 0; i < 5000; i++) {
      String key = "clé " + i;
      long hash = space.hash(key.getBytes(StandardCharsets.UTF_8));
      assertThat(locator.hasher().hash(key)).isEqualTo(hash);

      List<NodeId> expected = table.owners(space.segment(hash));
      assertThat(id(locator, locator.locate(key))).isEqualTo(expected.get(0));
      assertThat(locator.locate(hash, owners)).isEqualTo(2);
      assertThat(id(locator, owners[0])).isEqualTo(expected.get(0));
      assertThat(id(locator, owners[1])).isEqualTo(expected.get(1));
    }
  }

  private NodeId id(SegmentLocator locator, int place) {
    String name = locator.nodes().get(place).name();
    return members.stream().filter(m -> m.name().equals(name)).findFirst().orElseThrow().id();
  }

  @Test
  void refusesATableThatHasLostSegments() {
    int[][] rows = new int[300][];
    IntStream.range(0, 300).forEach(i -> rows[i] = i == 120 ? new int[0] : new int[] {0});

    assertThatThrownBy(() -> SegmentLocator.of(table(rows)))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("1 segments have no owner, the first is 120")
        .hasMessageContaining("later epoch");
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 10, 120})
  void hasLevelNodesAndMovesNoMoreThanMustMove(int count) {
    SegmentLocator before = placed(count);
    SegmentLocator joined = before.with(new LocatorNode("new:1"));
    SegmentLocator left = before.without("10.0.0." + count / 2 + ":1");

    assertThat(fullest(before)).isLessThanOrEqualTo(1.05 * SEGMENTS / count);
    assertThat(fullest(joined)).isLessThanOrEqualTo(1.05 * SEGMENTS / (count + 1));
    assertThat(fullest(left)).isLessThanOrEqualTo(1.05 * SEGMENTS / (count - 1));
    assertThat(moved(before, joined)).isBetween(1, (int) (1.05 * SEGMENTS / (count + 1)));
    assertThat(moved(before, left)).isBetween(1, (int) (1.05 * SEGMENTS / count));
  }

  @Test
  void keepsAllOwnersOfAKeyThroughChangesExceptThoseOfTheNodeThatLeft() {
    SegmentLocator before = SegmentLocator.placed(new WeightedRendezvous(), 256, 2, nodes(6));
    SegmentLocator after = before.without("10.0.0.3:1");
    int[] old = new int[2];
    int[] now = new int[2];
    hashes()
        .limit(3000)
        .forEach(
            hash -> {
              before.locate(hash, old);
              after.locate(hash, now);
              List<String> names = IntStream.of(now).mapToObj(i -> name(after, i)).toList();
              assertThat(names).doesNotHaveDuplicates().doesNotContain("10.0.0.3:1");
              for (int owner : old) {
                if (owner != 3) {
                  assertThat(names).contains(name(before, owner));
                }
              }
            });
  }

  private static SegmentLocator placed(int count) {
    return SegmentLocator.placed(new WeightedRendezvous(), SEGMENTS, 1, nodes(count));
  }

  private static String name(SegmentLocator locator, int place) {
    return locator.nodes().get(place).name();
  }

  private static double fullest(SegmentLocator locator) {
    int[] segments = new int[locator.nodes().size()];
    IntStream.range(0, SEGMENTS).forEach(segment -> segments[locator.primary(segment)]++);
    return IntStream.of(segments).max().orElseThrow();
  }

  private static int moved(SegmentLocator before, SegmentLocator after) {
    return (int)
        IntStream.range(0, SEGMENTS)
            .filter(
                segment ->
                    !name(before, before.primary(segment))
                        .equals(name(after, after.primary(segment))))
            .count();
  }

  private SegmentTable table(int[][] rows) {
    return SegmentTable.of(new TableHeader(5, 1, 0, HASH_SEED, 300, 2, 1000), members, rows);
  }

  private static Member member(int number, double capacity) {
    return new Member(new NodeId(9, number), "node " + number, "localhost", 1, "", capacity);
  }
}
