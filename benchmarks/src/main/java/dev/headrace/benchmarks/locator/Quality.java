package dev.headrace.benchmarks.locator;

import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * How well a locator spreads and keeps keys, counted on random hashes.
 *
 * @param balance keys of the fullest node over the mean
 * @param joinMoved keys that move when a node joins, over those that it gets
 * @param leaveMoved keys that move when the last node leaves, over those that it had
 * @param removalMoved the same for a node in the middle
 * @param buildMillis time to make the locator
 * @param bytes memory of the look-up structure
 */
record Quality(
    double balance,
    double joinMoved,
    double leaveMoved,
    double removalMoved,
    double buildMillis,
    long bytes) {

  private static final int KEYS = 1_000_000;
  private static final int SEED = 17;

  /** Makes a locator, and another when nodes come and go. */
  @FunctionalInterface
  interface Kind {
    NodeLocator locator(List<LocatorNode> nodes);

    default NodeLocator with(NodeLocator locator, LocatorNode joined) {
      return locator.with(joined);
    }

    default NodeLocator without(NodeLocator locator, String name) {
      return locator.without(name);
    }
  }

  /** The quality of one kind with a number of nodes of equal weight. */
  static Quality of(Kind kind, int count) {
    kind.locator(Subject.nodes(count)); // warms up
    long begin = System.nanoTime();
    NodeLocator locator = kind.locator(Subject.nodes(count));
    double buildMillis = (System.nanoTime() - begin) / 1e6;
    long[] keys = keys(locator);
    String last = locator.nodes().get(count - 1).name();
    String middle = locator.nodes().get(count / 2).name();
    NodeLocator joined = kind.with(locator, new LocatorNode(Subject.address(count + 1)));
    return new Quality(
        max(keys) * count / KEYS,
        moved(locator, joined) / keys(joined)[count],
        moved(locator, kind.without(locator, last)) / keys[count - 1],
        moved(locator, kind.without(locator, middle)) / keys[count / 2],
        buildMillis,
        locator.lookUpBytes());
  }

  /** The worst of the three changes. */
  double moved() {
    return Math.max(joinMoved, Math.max(leaveMoved, removalMoved));
  }

  private static long[] keys(NodeLocator locator) {
    long[] keys = new long[locator.nodes().size()];
    hashes().forEach(hash -> keys[locator.locate(hash)]++);
    return keys;
  }

  private static double max(long[] keys) {
    double max = 0;
    for (long count : keys) {
      max = Math.max(max, (double) count);
    }
    return max;
  }

  private static double moved(NodeLocator before, NodeLocator after) {
    return (double) hashes().filter(hash -> !name(before, hash).equals(name(after, hash))).count();
  }

  private static String name(NodeLocator locator, long hash) {
    return locator.nodes().get(locator.locate(hash)).name();
  }

  private static LongStream hashes() {
    return new SplittableRandom(SEED).longs(KEYS);
  }
}
