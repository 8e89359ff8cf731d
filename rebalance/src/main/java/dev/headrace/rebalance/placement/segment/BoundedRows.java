package dev.headrace.rebalance.placement.segment;

import dev.headrace.rebalance.placement.FairShares;
import dev.headrace.rebalance.placement.locator.Preference;
import java.util.Arrays;

/**
 * Fills rows one after the other, and counts what each node has: none gets more replicas than its
 * bound, as long as there is another that the zones allow. Of a row's nodes the first is primary
 * that is not yet primary of too many. Not thread-safe.
 */
final class BoundedRows {
  private final FairShares shares;
  private final double[] most;
  private final int[] replicas;
  private final int[] primaries;

  BoundedRows(FairShares shares, double bound) {
    this.shares = shares;
    this.most = Arrays.stream(shares.replicas()).map(share -> Math.ceil(share * bound)).toArray();
    this.replicas = new int[most.length];
    this.primaries = new int[most.length];
  }

  int owners() {
    return shares.owners();
  }

  /**
   * The owners of the next segment, fewer than wanted if these nodes do not suffice. They do not
   * count before they are {@linkplain #take taken}.
   *
   * @param preference nodes, the best first
   * @param withinBounds whether full nodes are left out where others can be had
   */
  int[] row(int[] preference, boolean withinBounds) {
    int[] row = new int[shares.owners()];
    int[] inZone = new int[shares.zones()];
    int found = add(row, 0, inZone, preference, true);
    found = withinBounds ? found : add(row, found, inZone, preference, false);
    return Arrays.copyOf(row, found);
  }

  /** Makes a row the next segment's. */
  void take(int[] row) {
    putPrimaryFirst(row);
    primaries[row[0]]++;
    for (int node : row) {
      replicas[node]++;
    }
  }

  private int add(int[] row, int found, int[] inZone, int[] preference, boolean bounded) {
    int length = found;
    for (int at = 0; at < preference.length && length < row.length; at++) {
      int node = preference[at];
      int zone = shares.zone(node);
      boolean full = bounded && replicas[node] >= most[node];
      boolean allowed = inZone[zone] < shares.ownersPerZone();
      if (!full && allowed && !Preference.contains(row, length, node)) {
        inZone[zone]++;
        row[length++] = node;
      }
    }
    return length;
  }

  private void putPrimaryFirst(int[] row) {
    int best = 0;
    while (best < row.length && hasItsPrimaries(row[best])) {
      best++;
    }
    if (best > 0 && best < row.length) {
      int primary = row[best];
      System.arraycopy(row, 0, row, 1, best);
      row[0] = primary;
    }
  }

  private boolean hasItsPrimaries(int node) {
    return primaries[node] >= Math.ceil(most[node] / shares.owners());
  }
}
