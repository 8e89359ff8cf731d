package dev.headrace.rebalance.placement.bucket;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.locator.NodeList;

/**
 * The weight that one bucket stands for.
 *
 * <p>It is chosen once, when a locator is made, and stays when nodes come and go, so that nobody
 * else's buckets change. Of equal weights each is one bucket. Other weights are rounded to whole
 * buckets: the smallest is the fewest, up to {@value #MAX_BUCKETS_OF_SMALLEST}, with which all are
 * nearly whole.
 *
 * @param weight the weight of a bucket
 */
record BucketUnit(double weight) {
  private static final int MAX_BUCKETS_OF_SMALLEST = 16; // rounds weights by at most 1/32
  private static final double NEARLY_WHOLE = 0.01;
  private static final int MAX_BUCKETS = 1 << 20;

  static BucketUnit of(NodeList nodes) {
    double smallest = nodes.all().stream().mapToDouble(node -> node.weight()).min().orElseThrow();
    int buckets = 1;
    while (buckets < MAX_BUCKETS_OF_SMALLEST && !fits(nodes, smallest / buckets)) {
      buckets++;
    }
    BucketUnit unit = new BucketUnit(smallest / buckets);
    unit.check(nodes);
    return unit;
  }

  private static boolean fits(NodeList nodes, double weight) {
    return nodes.all().stream()
        .mapToDouble(node -> node.weight() / weight)
        .allMatch(buckets -> Math.abs(buckets - Math.rint(buckets)) <= NEARLY_WHOLE * buckets);
  }

  /** Checks that there are not too many buckets. */
  void check(NodeList nodes) {
    double buckets = nodes.totalWeight() / weight;
    if (buckets > MAX_BUCKETS) {
      throw new LocatorException(
          "The weights ask for %.0f buckets, more than %d; give weights that lie nearer to each other"
              .formatted(buckets, MAX_BUCKETS));
    }
  }

  /** How many buckets a node of this weight has: at least one. */
  int buckets(double nodeWeight) {
    return (int) Math.max(1, Math.round(nodeWeight / weight));
  }
}
