package dev.headrace.rebalance.placement.ring;

import java.util.Arrays;

/**
 * The points as a search tree without pointers: the children of number {@code k} are {@code 2k} and
 * {@code 2k + 1}, so the upper levels share few cache lines. The tree is filled up to a perfect
 * one: where a search ends counts the points below what is sought.
 *
 * <p>Source: Khuong and Morin, "Array layouts for comparison-based searching", JEA 2017.
 */
final class EytzingerLookup implements RingLookup {
  private final int[] points; // from number 1
  private final char[] nodes; // by the number of points below: behind the last lies the first

  EytzingerLookup(HashRing ring) {
    points = new int[Integer.highestOneBit(ring.size()) * 2];
    Arrays.fill(points, Integer.MAX_VALUE);
    fill(ring, 0, 1);
    nodes = ring.nodes(points.length);
  }

  /** Fills the subtree of a number with the points from an index on; returns the next index. */
  private int fill(HashRing ring, int index, int number) {
    if (number >= points.length) {
      return index;
    }
    int middle = fill(ring, index, 2 * number);
    if (middle < ring.size()) {
      points[number] = HashRing.flip(ring.point(middle));
    }
    return fill(ring, middle + 1, 2 * number + 1);
  }

  @Override
  public int node(int position) {
    int sought = HashRing.flip(position);
    int number = 1;
    for (int level = points.length; level > 1; level >>>= 1) {
      number = 2 * number + ArrayLookup.isBelow(points[number], sought);
    }
    return nodes[number - points.length];
  }

  @Override
  public long bytes() {
    return (long) points.length * Integer.BYTES + (long) nodes.length * Character.BYTES;
  }
}
