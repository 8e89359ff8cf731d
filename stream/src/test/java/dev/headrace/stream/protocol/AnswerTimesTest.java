package dev.headrace.stream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Which part of a stream's credit each node gets for how it has answered. */
class AnswerTimesTest {

  private static final long MILLISECOND_NANOS = 1_000_000;
  private static final Offset<Double> ROUNDING = within(1e-9);

  private final AnswerTimes times = new AnswerTimes();

  private static List<NodeRead> nodes(int count) {
    return IntStream.range(0, count).mapToObj(i -> new NodeRead(new NodeId(7, i), false)).toList();
  }

  private void answered(NodeRead node, int entries, int bytes, long tookMillis) {
    times.answered(node.rate, entries, bytes, tookMillis * MILLISECOND_NANOS);
  }

  private static double[] partsOfEntries(List<NodeRead> nodes) {
    return nodes.stream().mapToDouble(node -> AnswerTimes.partOfEntries(node, nodes)).toArray();
  }

  private static double[] partsOfBytes(List<NodeRead> nodes) {
    return nodes.stream().mapToDouble(node -> AnswerTimes.partOfBytes(node, nodes)).toArray();
  }

  @Test
  void aNodeThatAnswersFasterGetsALargerPart() {
    List<NodeRead> nodes = nodes(2);
    answered(nodes.get(0), 100, 10_000, 1);
    answered(nodes.get(1), 100, 10_000, 3);
    assertThat(partsOfEntries(nodes)).containsExactly(new double[] {0.75, 0.25}, ROUNDING);
    assertThat(partsOfBytes(nodes)).containsExactly(new double[] {0.75, 0.25}, ROUNDING);
  }

  @Test
  void aNodeWithSmallerEntriesGetsALargerPartOfTheEntries() {
    List<NodeRead> nodes = nodes(2);
    answered(nodes.get(0), 300, 30_000, 2);
    answered(nodes.get(1), 100, 30_000, 2);
    assertThat(partsOfEntries(nodes)).containsExactly(new double[] {0.75, 0.25}, ROUNDING);
    assertThat(partsOfBytes(nodes)).containsExactly(new double[] {0.5, 0.5}, ROUNDING);
  }

  @Test
  void nodesThatAnswerAlikeHaveEqualParts() {
    List<NodeRead> nodes = nodes(5);
    nodes.forEach(node -> answered(node, 70, 7_000, 2));
    double[] equal = DoubleStream.generate(() -> 0.2).limit(5).toArray();
    assertThat(partsOfEntries(nodes)).containsExactly(equal, ROUNDING);
    assertThat(partsOfBytes(nodes)).containsExactly(equal, ROUNDING);
  }

  @Test
  void aNodeCountsAtMostFourTimesAndAtLeastAQuarter() {
    List<NodeRead> nodes = nodes(10);
    nodes.forEach(node -> answered(node, 10, 1_000, 1000));
    answered(nodes.get(0), 100_000, 10_000_000, 1);
    double[] parts = partsOfEntries(nodes);
    assertThat(parts[0]).isCloseTo(4 / 6.25, ROUNDING);
    for (int i = 1; i < parts.length; i++) {
      assertThat(parts[i]).isCloseTo(0.25 / 6.25, ROUNDING);
    }
  }

  @Test
  void nodesWithoutHistoryHaveEqualParts() {
    List<NodeRead> nodes = nodes(4);
    double[] equal = {0.25, 0.25, 0.25, 0.25};
    assertThat(partsOfEntries(nodes)).containsExactly(equal, ROUNDING);
    answered(nodes.get(2), 0, 0, 1); // An answer without entries tells nothing of its rate.
    assertThat(partsOfEntries(nodes)).containsExactly(equal, ROUNDING);
    assertThat(partsOfBytes(nodes)).containsExactly(equal, ROUNDING);
  }

  @Test
  void aNodeWithoutHistoryHasAFairPartBesideOthers() {
    List<NodeRead> nodes = nodes(4);
    nodes.subList(0, 3).forEach(node -> answered(node, 100, 10_000, 1));
    for (double[] parts : List.of(partsOfEntries(nodes), partsOfBytes(nodes))) {
      assertThat(parts[3]).isCloseTo(0.25, ROUNDING);
      assertThat(parts[0]).isEqualTo(parts[1]).isEqualTo(parts[2]);
      assertThat(DoubleStream.of(parts).sum()).isCloseTo(1, ROUNDING);
    }
  }

  @Test
  void aNodeThatSlowsDownLosesItsPartStepByStep() {
    List<NodeRead> nodes = nodes(2);
    nodes.forEach(node -> answered(node, 100, 10_000, 1));
    double before = 0.5;
    for (int answer = 0; answer < 20; answer++) {
      answered(nodes.get(0), 100, 10_000, 4);
      double now = partsOfEntries(nodes)[0];
      assertThat(now).isLessThan(before).isGreaterThan(0.2);
      before = now;
    }
    assertThat(before).isCloseTo(0.2, within(0.01));
  }

  @Test
  void thePartsOfAllNodesMakeOne() {
    for (long seed = 0; seed < 1000; seed++) {
      Random random = new Random(seed);
      List<NodeRead> nodes = nodes(1 + random.nextInt(8));
      for (NodeRead node : nodes) {
        for (int answers = random.nextInt(4); answers > 0; answers--) {
          answered(node, random.nextInt(1000), random.nextInt(100_000), random.nextInt(1000));
        }
      }
      for (double[] parts : List.of(partsOfEntries(nodes), partsOfBytes(nodes))) {
        assertThat(DoubleStream.of(parts)).as("seed %d", seed).allMatch(part -> part > 0);
        assertThat(DoubleStream.of(parts).sum()).as("seed %d", seed).isCloseTo(1, ROUNDING);
      }
    }
  }

  @Test
  void anAnswerIsLateAfterEightTimesTheUsualTime() {
    NodeRead node = nodes(1).get(0);
    assertThat(times.lateNanos()).isEqualTo(AnswerTimes.MIN_LATE_NANOS);
    answered(node, 1, 100, 1);
    assertThat(times.lateNanos()).isEqualTo(AnswerTimes.MIN_LATE_NANOS);
    for (int i = 0; i < 100; i++) {
      answered(node, 1, 100, 20);
    }
    assertThat(times.lateNanos()).isCloseTo(160 * MILLISECOND_NANOS, within(MILLISECOND_NANOS));
  }
}
