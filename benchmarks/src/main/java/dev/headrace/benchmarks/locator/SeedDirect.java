package dev.headrace.benchmarks.locator;

import dev.headrace.rebalance.placement.ring.HashRing;

/**
 * The direct look-up as it was first proposed, with its fault: 2^19 buckets by the hash's leading
 * bits, of which each is filled with one node, however many points split it.
 */
final class SeedDirect {

  private static final int BITS = 19;
  private static final int SHIFT = Integer.SIZE - BITS;

  /** Which point's node a bucket gets. */
  enum Choice {
    /** That of the last point before the bucket's end, as in the original. */
    PREVIOUS,
    /** That of the first point at or behind the bucket's beginning. */
    CEILING
  }

  private final int[] buckets = new int[1 << BITS];

  SeedDirect(HashRing ring, Choice choice) {
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      int behind = ring.firstFrom((bucket + 1) << SHIFT);
      int point =
          switch (choice) {
            case PREVIOUS -> behind == 0 ? ring.size() - 1 : behind - 1;
            case CEILING -> ring.firstFrom(bucket << SHIFT);
          };
      buckets[bucket] = ring.node(point);
    }
  }

  int node(int position) {
    return buckets[position >>> SHIFT];
  }
}
