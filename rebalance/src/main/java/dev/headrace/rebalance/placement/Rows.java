package dev.headrace.rebalance.placement;

import java.util.Comparator;
import java.util.stream.IntStream;

/** What is done with a row: the owners of one segment, the primary first. */
final class Rows {

  private Rows() {}

  /** The place of a node, -1 if it is not there. */
  static int indexOf(int[] row, int node) {
    int index = row.length - 1;
    while (index >= 0 && row[index] != node) {
      index--;
    }
    return index;
  }

  /** A row in which the cheapest node comes first. */
  static int[] sorted(int[] row, double[] cost) {
    return IntStream.of(row)
        .boxed()
        .sorted(Comparator.comparingDouble(node -> cost[node]))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
