package dev.headrace.rebalance.placement.ring;

/**
 * An index of a ring's points by their leading bits: a search starts at the first point with the
 * position's leading bits and takes a few steps of halving, since points are spread evenly.
 */
final class LeadingBits {
  private static final int POINTS_PER_PREFIX = 4; // so many points begin alike, on average

  private final int[] starts;
  private final int shift;
  private final int steps;

  LeadingBits(HashRing ring) {
    int bits =
        Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(ring.size() / POINTS_PER_PREFIX));
    shift = Integer.SIZE - bits;
    starts = new int[1 << bits];
    int most = 0;
    int point = 0;
    for (int prefix = 0; prefix < starts.length; prefix++) {
      starts[prefix] = point;
      while (point < ring.size() && ring.point(point) >>> shift == prefix) {
        point++;
      }
      most = Math.max(most, point - starts[prefix]);
    }
    steps = Integer.SIZE - Integer.numberOfLeadingZeros(most);
  }

  /** How many prefixes there are. */
  int count() {
    return starts.length;
  }

  /** A position's prefix. */
  int of(int position) {
    return position >>> shift;
  }

  /** How many points lie before all that begin so. */
  int start(int prefix) {
    return starts[prefix];
  }

  /** How often the points behind a start must be halved; fewer than 2^steps can be below. */
  int steps() {
    return steps;
  }

  long bytes() {
    return (long) starts.length * Integer.BYTES;
  }
}
