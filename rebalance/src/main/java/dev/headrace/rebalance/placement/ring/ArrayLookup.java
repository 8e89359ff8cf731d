package dev.headrace.rebalance.placement.ring;

import java.util.Arrays;

/**
 * A sorted array. A search begins where the position's leading bits say; every search takes the
 * same steps, and none of them is a branch that could be mispredicted.
 */
final class ArrayLookup implements RingLookup {
  private final int[] points; // behind the last point lie some that nothing is behind
  private final char[] nodes; // by the number of points below: behind the last lies the first
  private final LeadingBits prefixes;

  ArrayLookup(HashRing ring) {
    prefixes = new LeadingBits(ring);
    points = Arrays.copyOf(ring.flippedPoints(), ring.size() + (1 << prefixes.steps()));
    Arrays.fill(points, ring.size(), points.length, Integer.MAX_VALUE);
    nodes = ring.nodes(points.length);
  }

  @Override
  public int node(int position) {
    int sought = HashRing.flip(position);
    int below = prefixes.start(prefixes.of(position));
    for (int half = (1 << prefixes.steps()) >>> 1; half > 0; half >>>= 1) {
      below += half & -isBelow(points[below + half - 1], sought);
    }
    return nodes[below];
  }

  /** 1 if the point is less than what is sought, else 0. */
  static int isBelow(int point, int sought) {
    return (int) (((long) point - sought) >>> 63);
  }

  @Override
  public long bytes() {
    return prefixes.bytes()
        + (long) points.length * Integer.BYTES
        + (long) nodes.length * Character.BYTES;
  }
}
