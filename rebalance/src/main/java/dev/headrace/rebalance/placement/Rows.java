package dev.headrace.rebalance.placement;

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
}
