package dev.headrace.rebalance.table;

/**
 * Hears of each table that comes into force on a node. One table comes after the other; whoever
 * puts them in force calls the listeners of a node in an order of its own.
 */
public interface TableListener {
  /**
   * A table is in force on this node.
   *
   * @param delta what made it from the table before, or {@link TableDelta#fromNothing} if this is
   *     the first one or nobody knows what lies between
   * @param newImage the table
   */
  void onTable(TableDelta delta, SegmentTable newImage);
}
