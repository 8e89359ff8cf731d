package dev.headrace.rebalance.placement.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LocatorPlacementTest {

  private static final int SEGMENTS = 1024;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEGMENT_TABLE")
  void fillsEveryRowWithDifferentNodesAsFarAsZonesAllow(LocatorKind kind) {
    Placement placement = new LocatorPlacement(kind::locator, LocatorPlacement.UNBOUNDED);
    List<Member> members =
        List.of(
            member(0, "a", 1),
            member(1, "a", 1),
            member(2, "b", 1),
            member(3, "b", 0),
            member(4, "c", 2));
    int[][] rows = placement.place(SEGMENTS, 3, members);

    assertThat(rows).hasDimensions(SEGMENTS, 3);
    for (int[] row : rows) {
      assertThat(Arrays.stream(row).mapToObj(node -> members.get(node).zone()))
          .containsExactlyInAnyOrder("a", "b", "c");
      assertThat(row).doesNotContain(3);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.05, 1.1, 1.25})
  void noNodeGetsMoreThanItsBound(double bound) {
    Placement placement = new LocatorPlacement(LocatorKind.SIMPLE_FNV1A::locator, bound);
    List<Member> members = members(12);
    int[][] rows = placement.place(SEGMENTS, 2, members);

    int[] replicas = new int[12];
    int[] primaries = new int[12];
    for (int[] row : rows) {
      assertThat(row).hasSize(2).doesNotHaveDuplicates();
      primaries[row[0]]++;
      Arrays.stream(row).forEach(node -> replicas[node]++);
    }
    int most = (int) Math.ceil(bound * 2 * SEGMENTS / 12);
    assertThat(IntStream.of(replicas).max().orElseThrow()).isLessThanOrEqualTo(most);
    assertThat(IntStream.of(primaries).max().orElseThrow()).isLessThan(SEGMENTS / 3);
  }

  @Test
  void withoutABoundARingIsAsUnevenAsItIs() {
    int[][] rows =
        new LocatorPlacement(LocatorKind.SIMPLE_FNV1A::locator, LocatorPlacement.UNBOUNDED)
            .place(SEGMENTS, 1, members(12));
    int[] replicas = new int[12];
    Arrays.stream(rows).forEach(row -> replicas[row[0]]++);

    assertThat(IntStream.of(replicas).max().orElseThrow()).isGreaterThan(2 * SEGMENTS / 12);
  }

  @Test
  void movesOnlyWhatANodeHadThatLeaves() {
    Placement placement =
        new LocatorPlacement(LocatorKind.RENDEZVOUS::locator, LocatorPlacement.UNBOUNDED);
    List<Member> ten = members(10);
    int[][] before = placement.place(SEGMENTS, 1, ten);
    int[][] after = placement.place(SEGMENTS, 1, ten.subList(0, 9));

    for (int segment = 0; segment < SEGMENTS; segment++) {
      if (before[segment][0] != 9) {
        assertThat(after[segment]).isEqualTo(before[segment]);
      }
    }
    assertThat(Arrays.stream(before)).anyMatch(row -> row[0] == 9);
  }

  @Test
  void whereNobodyHasACapacityNothingIsPlaced() {
    Placement placement = new LocatorPlacement(LocatorKind.MAGLEV::locator, 1.25);

    assertThat(placement.place(3, 2, List.of(member(1, "", 0))))
        .isEqualTo(new int[][] {{}, {}, {}});
  }

  @Test
  void aLocatorThatNamesTooFewNodesIsRefused() {
    Placement placement = new LocatorPlacement(LocatorKind.SEGMENT_TABLE::locator, 1.25);

    assertThat(placement.place(100, 1, members(12))).hasDimensions(100, 1);
    assertThatThrownBy(() -> placement.place(100, 2, members(12)))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("fewer nodes for a segment than the 2 owners");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.99, -1, Double.NaN})
  void aBoundBelowTheShareIsRefused(double bound) {
    assertThatThrownBy(() -> new LocatorPlacement(LocatorKind.MAGLEV::locator, bound))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("bound is " + bound)
        .hasMessageContaining("at least 1");
  }

  private static List<Member> members(int count) {
    return IntStream.range(0, count).mapToObj(i -> member(i, "", 1)).toList();
  }

  private static Member member(int number, String zone, double capacity) {
    return new Member(new NodeId(number * 31L, number), "n" + number, "h", 1, zone, capacity);
  }
}
