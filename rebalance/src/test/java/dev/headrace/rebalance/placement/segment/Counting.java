package dev.headrace.rebalance.placement.segment;

import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Counts where random hashes go. */
final class Counting {

  static final int KEYS = 200_000;

  private Counting() {}

  static List<LocatorNode> nodes(int count) {
    return IntStream.range(0, count).mapToObj(i -> new LocatorNode("10.0.0." + i + ":1")).toList();
  }

  static LongStream hashes() {
    return new SplittableRandom(23).longs(KEYS);
  }

  /** Keys of each node. */
  static int[] keys(NodeLocator locator) {
    int[] keys = new int[locator.nodes().size()];
    hashes().forEach(hash -> keys[locator.locate(hash)]++);
    return keys;
  }

  /** The fullest node over the mean. */
  static double balance(NodeLocator locator) {
    int[] keys = keys(locator);
    return (double) IntStream.of(keys).max().orElseThrow() * keys.length / KEYS;
  }

  /** Keys whose node is another one. */
  static long moved(NodeLocator before, NodeLocator after) {
    return hashes().filter(hash -> !name(before, hash).equals(name(after, hash))).count();
  }

  static String name(NodeLocator locator, long hash) {
    return locator.nodes().get(locator.locate(hash)).name();
  }
}
