package dev.headrace.cluster.cache;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.Feature;
import com.google.common.collect.testing.features.MapFeature;
import dev.headrace.api.Cache;
import dev.headrace.cluster.node.NodeCluster;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.stream.Stream;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Guava's public suite for concurrent maps, against the map view of a cache. */
@Timeout(300)
final class MapViewSuiteTest {
  private static NodeCluster alone;
  private static NodeCluster three;

  @BeforeAll
  static void start() {
    alone = cluster(1);
    three = cluster(3);
  }

  @AfterAll
  static void stop() {
    alone.close();
    three.close();
  }

  /** Few segments, because every test begins by clearing all of them. */
  private static NodeCluster cluster(int nodes) {
    NodeCluster cluster = new NodeCluster();
    for (int i = 0; i < nodes; i++) {
      cluster.start(settings -> settings.segments(6));
    }
    return cluster;
  }

  @TestFactory
  Stream<DynamicNode> theViewOfOneNodeIsAConcurrentMap() {
    return suite("one node", alone, List.of());
  }

  @TestFactory
  Stream<DynamicNode> theViewOfThreeNodesIsAConcurrentMap() {
    // The order differs from one walk to the next, as nodes answer; the suite compares the text of
    // one with that of another.
    return suite("three nodes", three, List.of(CollectionFeature.NON_STANDARD_TOSTRING));
  }

  private static Stream<DynamicNode> suite(
      String name, NodeCluster cluster, List<Feature<?>> more) {
    Cache<String, String> cache = cluster.node(0).cache("map", String.class, String.class);
    TestSuite suite =
        ConcurrentMapTestSuiteBuilder.using(
                new TestStringMapGenerator() {
                  @Override
                  protected Map<String, String> create(Entry<String, String>[] entries) {
                    Map<String, String> map = cache.asMap();
                    map.clear();
                    List.of(entries).forEach(entry -> map.put(entry.getKey(), entry.getValue()));
                    return map;
                  }
                })
            .named(name)
            .withFeatures(
                MapFeature.GENERAL_PURPOSE,
                CollectionSize.ANY,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE)
            .withFeatures(more)
            .createTestSuite();
    return nodes(suite);
  }

  private static Stream<DynamicNode> nodes(TestSuite suite) {
    return Collections.list(suite.tests()).stream().map(MapViewSuiteTest::node);
  }

  private static DynamicNode node(junit.framework.Test test) {
    return test instanceof TestSuite suite
        ? DynamicContainer.dynamicContainer(suite.getName(), nodes(suite))
        : DynamicTest.dynamicTest(((TestCase) test).getName(), ((TestCase) test)::runBare);
  }
}
