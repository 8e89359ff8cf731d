package dev.headrace.rebalance.placement;

/** Levels replicas: a move replaces an owner of a segment, if the zones allow it. */
final class OwnerBoard implements Levelling.Board {

  private final int[][] rows;
  private final Nodes nodes;

  OwnerBoard(int[][] rows, Nodes nodes) {
    this.rows = rows;
    this.nodes = nodes;
  }

  @Override
  public int segments() {
    return rows.length;
  }

  @Override
  public boolean holds(int segment, int node) {
    return Rows.indexOf(rows[segment], node) >= 0;
  }

  @Override
  public boolean mayMove(int segment, int from, int to) {
    int inZone = nodes.zones[from] == nodes.zones[to] ? -1 : 0;
    for (int node : rows[segment]) {
      if (node == to) {
        return false;
      }
      inZone += nodes.zones[node] == nodes.zones[to] ? 1 : 0;
    }
    return inZone < nodes.ownersPerZone;
  }

  @Override
  public double cost(int segment, int from, int to) {
    return nodes.cost(segment, to) - nodes.cost(segment, from);
  }

  @Override
  public void move(int segment, int from, int to) {
    rows[segment][Rows.indexOf(rows[segment], from)] = to;
  }
}
