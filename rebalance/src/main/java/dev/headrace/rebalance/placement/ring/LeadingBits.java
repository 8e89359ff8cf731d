package dev.headrace.rebalance.placement.ring;

/**
 * Where a search may begin: for every beginning of a position, the first point that begins so, and
 * in how many steps of halving the one is found that is sought. Points are spread evenly, so that
 * those few steps take the place of nearly all others.
 */
final class LeadingBits {

  private static final int POINTS_PER_BEGINNING = 4; // so many points begin alike, on average

  private final int[] starts;
  private final int shift;
  private final int steps;

  LeadingBits(HashRing ring) {
    int bits =
        Math.max(
            1, Integer.SIZE - Integer.numberOfLeadingZeros(ring.size() / POINTS_PER_BEGINNING));
    shift = Integer.SIZE - bits;
    starts = new int[1 << bits];
    int most = 0;
    int point = 0;
    for (int beginning = 0; beginning < starts.length; beginning++) {
      starts[beginning] = point;
      while (point < ring.size() && ring.point(point) >>> shift == beginning) {
        point++;
      }
      most = Math.max(most, point - starts[beginning]);
    }
    steps = Integer.SIZE - Integer.numberOfLeadingZeros(most);
  }

  /** How many beginnings there are. */
  int count() {
    return starts.length;
  }

  /** The number of a position's beginning. */
  int of(int position) {
    return position >>> shift;
  }

  /** How many points lie before all that begin so. */
  int start(int beginning) {
    return starts[beginning];
  }

  /** How often the points behind a start must be halved; fewer than 2^steps can be below. */
  int steps() {
    return steps;
  }

  long bytes() {
    return (long) starts.length * Integer.BYTES;
  }
}
