package dev.headrace.rebalance.placement.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RingStructuresTest {

  private final Random random = new Random(2);

  @ParameterizedTest
  @EnumSource(RingAlgorithm.class)
  void everyStructureFindsTheFirstPointAtOrBehindAPosition(RingAlgorithm algorithm) {
    for (int count : List.of(1, 2, 3, 10, 120)) {
      HashRing ring = HashRing.of(algorithm, nodes(count), 1);
      assertFindsTheFirstPoint(ring);
    }
  }

  @ParameterizedTest
  @EnumSource(RingAlgorithm.class)
  void weightsMakePointsInProportion(RingAlgorithm algorithm) {
    NodeList nodes = new NodeList(List.of(new LocatorNode("one", 1), new LocatorNode("three", 3)));
    HashRing ring = HashRing.of(algorithm, nodes, 2);

    long ofOne = IntStream.range(0, ring.size()).filter(i -> ring.node(i) == 0).count();
    assertThat(ofOne * 4).isEqualTo(ring.size());
    assertFindsTheFirstPoint(ring);
  }

  @ParameterizedTest
  @EnumSource(RingAlgorithm.class)
  void oneNodeAmongOthersKeepsItsPointsWhenOthersComeAndGo(RingAlgorithm algorithm) {
    List<LocatorNode> three = nodes(3).all();
    RingLocator before = RingLocator.of(algorithm, RingStructure.DIRECT, three);
    RingLocator after = before.with(new LocatorNode("heavy", 40)).without("node-0");

    assertThat(points(after, "node-2")).isEqualTo(points(before, "node-2")).isNotEmpty();
  }

  private static List<Integer> points(RingLocator locator, String name) {
    List<Integer> points = new ArrayList<>();
    for (int i = 0; i < locator.ring().size(); i++) {
      if (locator.nodes().get(locator.ring().node(i)).name().equals(name)) {
        points.add(locator.ring().point(i));
      }
    }
    return points;
  }

  private void assertFindsTheFirstPoint(HashRing ring) {
    TreeMap<Long, Integer> map = new TreeMap<>();
    for (int i = 0; i < ring.size(); i++) {
      map.put(Integer.toUnsignedLong(ring.point(i)), ring.node(i));
    }
    assertThat(map).hasSize(ring.size());
    List<RingLookup> lookups = new ArrayList<>();
    for (RingStructure structure : RingStructure.values()) {
      lookups.add(structure.over(ring));
    }
    IntStream.of(1, 4, 12, 19).forEach(bits -> lookups.add(new DirectLookup(ring, bits)));
    for (int position : positions(ring)) {
      Map.Entry<Long, Integer> point = map.ceilingEntry(Integer.toUnsignedLong(position));
      int expected = (point == null ? map.firstEntry() : point).getValue();
      assertThat(ring.node(ring.firstFrom(position))).isEqualTo(expected);
      for (RingLookup lookup : lookups) {
        if (lookup.node(position) != expected) {
          assertThat(lookup.node(position)).as("%s at %08x", lookup, position).isEqualTo(expected);
        }
      }
    }
  }

  private int[] positions(HashRing ring) {
    IntStream around =
        IntStream.range(0, ring.size())
            .map(ring::point)
            .flatMap(point -> IntStream.of(point - 1, point, point + 1));
    IntStream ends = IntStream.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE);
    return IntStream.concat(IntStream.concat(around, ends), random.ints(5000)).toArray();
  }

  private static NodeList nodes(int count) {
    return new NodeList(
        IntStream.range(0, count).mapToObj(i -> new LocatorNode("node-" + i)).toList());
  }
}
