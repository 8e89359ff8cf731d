package dev.headrace.rebalance.placement;

/** Levels primaries: a move makes a backup of a segment its primary. */
final class PrimaryBoard implements Levelling.Board {

  private final int[][] rows;
  private final Nodes nodes;

  PrimaryBoard(int[][] rows, Nodes nodes) {
    this.rows = rows;
    this.nodes = nodes;
  }

  @Override
  public int segments() {
    return rows.length;
  }

  @Override
  public boolean holds(int segment, int node) {
    return rows[segment][0] == node;
  }

  @Override
  public boolean mayMove(int segment, int from, int to) {
    return Rows.indexOf(rows[segment], to) > 0;
  }

  @Override
  public double cost(int segment, int from, int to) {
    return nodes.cost(segment, to) - nodes.cost(segment, from);
  }

  @Override
  public void move(int segment, int from, int to) {
    int[] row = rows[segment];
    row[Rows.indexOf(row, to)] = from;
    row[0] = to;
  }
}
