package dev.headrace.rebalance.placement.ring;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.locator.NodeList;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The points of a ring in their order, and whose they are.
 *
 * <p>Where points of two nodes coincide, that of the later node counts, as in the maps of
 * memcached's clients. Immutable.
 */
public final class HashRing {
  /** Weights that ask for more hashes of nodes are most likely a mistake. */
  private static final int MAX_HASHES = 1 << 22;

  /** Ascending. The sign is flipped, so that signed comparisons order unsigned numbers. */
  private final int[] points;

  private final int[] nodes;

  private HashRing(int[] points, int[] nodes) {
    this.points = points;
    this.nodes = nodes;
  }

  /**
   * The ring of these nodes.
   *
   * @param unitWeight the weight for which a node gets the algorithm's number of points; others get
   *     points in proportion, but at least those of one hash
   */
  static HashRing of(RingAlgorithm algorithm, NodeList nodes, double unitWeight) {
    double hashes = RingAlgorithm.HASHES_PER_NODE * nodes.totalWeight() / unitWeight;
    if (hashes > MAX_HASHES) {
      throw new LocatorException(
          "The ring would take %.0f hashes, more than %d; give weights that lie nearer to each other"
              .formatted(hashes, MAX_HASHES));
    }
    int[] repetitions = new int[nodes.size()];
    for (int node = 0; node < repetitions.length; node++) {
      double exact = RingAlgorithm.HASHES_PER_NODE * nodes.weight(node) / unitWeight;
      repetitions[node] = (int) Math.max(1, Math.round(exact));
    }
    long[] entries = new long[IntStream.of(repetitions).sum() * algorithm.points("").length];
    int count = 0;
    for (int node = 0; node < repetitions.length; node++) {
      for (int i = 0; i < repetitions[node]; i++) {
        for (int point : algorithm.points(nodes.name(node) + "-" + i)) {
          entries[count++] = ((long) flip(point) << 32) | node;
        }
      }
    }
    return of(entries);
  }

  private static HashRing of(long[] entries) {
    Arrays.sort(entries);
    int[] points = new int[entries.length];
    int[] nodes = new int[entries.length];
    int count = 0;
    for (long entry : entries) {
      int point = (int) (entry >> 32);
      if (count > 0 && points[count - 1] == point) {
        count--;
      }
      points[count] = point;
      nodes[count++] = (int) entry;
    }
    return new HashRing(Arrays.copyOf(points, count), Arrays.copyOf(nodes, count));
  }

  /** Makes a signed number of an unsigned one, in the same order, and back. */
  static int flip(int position) {
    return position ^ Integer.MIN_VALUE;
  }

  public int size() {
    return points.length;
  }

  /** A point, counted from the lowest, as an unsigned number. */
  public int point(int index) {
    return flip(points[index]);
  }

  /** Whose a point is: the node's place. */
  public int node(int index) {
    return nodes[index];
  }

  /** The nodes of all points, in their order; behind the last that of the first. */
  char[] nodes(int length) {
    char[] all = new char[length];
    for (int index = 0; index < length; index++) {
      all[index] = (char) nodes[index < nodes.length ? index : 0];
    }
    return all;
  }

  /** The first point at or behind a position on the ring: the first of all behind the last one. */
  public int firstFrom(int position) {
    int found = Arrays.binarySearch(points, flip(position));
    int index = found >= 0 ? found : -found - 1;
    return index == points.length ? 0 : index;
  }

  /** The points with their signs flipped, ascending; not to be changed. */
  int[] flippedPoints() {
    return points;
  }
}
