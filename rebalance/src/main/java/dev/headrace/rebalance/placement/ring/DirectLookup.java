package dev.headrace.rebalance.placement.ring;

/**
 * Buckets by a position's leading bits.
 *
 * <p>A bucket that no point splits, as seen from the owners, holds its node. Every other holds the
 * number of its first point, and the points from there on are compared with the position: the
 * answer is exact. With eight or more buckets a point, at most one position in eight needs that.
 */
final class DirectLookup implements RingLookup {
  private static final int BUCKETS_PER_POINT = 8;
  private static final int MAX_BITS = 24;

  private final int[] points;
  private final char[] nodes; // one more than points: behind the last lies the first
  private final int[] buckets; // nodes, or the complements of the numbers of points
  private final int shift;

  DirectLookup(HashRing ring) {
    this(ring, bits(ring.size()));
  }

  DirectLookup(HashRing ring, int bits) {
    points = ring.flippedPoints();
    nodes = ring.nodes(points.length + 1);
    shift = Integer.SIZE - bits;
    buckets = new int[1 << bits];
    int first = 0;
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      int last = first; // the first point that is not below the bucket's last position
      int end = HashRing.flip((bucket << shift) + ((1 << shift) - 1));
      boolean split = false;
      while (last < points.length && points[last] < end) {
        last++;
        split |= nodes[last] != nodes[first];
      }
      buckets[bucket] = split ? ~first : nodes[first];
      first = last < points.length && points[last] == end ? last + 1 : last;
    }
  }

  private static int bits(int points) {
    int wanted = Integer.SIZE - Integer.numberOfLeadingZeros(points * BUCKETS_PER_POINT - 1);
    return Math.min(MAX_BITS, wanted);
  }

  @Override
  public int node(int position) {
    int bucket = buckets[position >>> shift];
    return bucket >= 0 ? bucket : nodes[firstFrom(~bucket, HashRing.flip(position))];
  }

  private int firstFrom(int first, int sought) {
    int index = first;
    while (index < points.length && points[index] < sought) {
      index++;
    }
    return index;
  }

  @Override
  public long bytes() {
    return (long) buckets.length * Integer.BYTES
        + (long) points.length * Integer.BYTES
        + (long) nodes.length * Character.BYTES;
  }
}
