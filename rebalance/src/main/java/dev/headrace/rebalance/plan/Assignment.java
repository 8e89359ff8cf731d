package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.FairShares;

/**
 * Who shall own which segment, while it is worked out: rows of nodes without an order, each at most
 * as long as a segment has owners. Starts with the owners that stay. Not thread-safe.
 */
final class Assignment {
  private final Situation now;
  private final FairShares shares;
  private final Targets targets;
  private final int[][] rows;
  private final int[] sizes;
  private final int[] counts;

  Assignment(Situation now, FairShares shares) {
    this.now = now;
    this.shares = shares;
    rows = new int[now.segments()][];
    sizes = new int[rows.length];
    counts = new int[shares.nodes()];
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] = new int[Math.max(shares.owners(), now.stayers[segment].length)];
      for (int node : now.stayers[segment]) {
        add(segment, node);
      }
    }
    targets = new Targets(shares, rows.length, counts);
  }

  int segments() {
    return rows.length;
  }

  int nodes() {
    return counts.length;
  }

  Targets targets() {
    return targets;
  }

  int count(int node) {
    return counts[node];
  }

  /** Replicas that the node holds more than it shall; negative if it holds less. */
  int excess(int node) {
    return counts[node] - targets.of(node);
  }

  boolean wantsMore(int node) {
    return counts[node] < targets.of(node);
  }

  /** How many owners the segment lacks; negative if it has more than it needs. */
  int missing(int segment) {
    return shares.owners() - sizes[segment];
  }

  int size(int segment) {
    return sizes[segment];
  }

  int node(int segment, int index) {
    return rows[segment][index];
  }

  boolean holds(int segment, int node) {
    return indexOf(segment, node) < sizes[segment];
  }

  /** How many of the segment's owners lie in the node's zone. */
  int inZoneOf(int segment, int node) {
    int zone = shares.zone(node);
    int count = 0;
    for (int index = 0; index < sizes[segment]; index++) {
      count += shares.zone(rows[segment][index]) == zone ? 1 : 0;
    }
    return count;
  }

  /** Whether more owners of the segment lie in the node's zone than need be. */
  boolean crowds(int segment, int node) {
    return inZoneOf(segment, node) > shares.ownersPerZone();
  }

  /** Whether the segment lacks an owner and the node may be it. */
  boolean mayAdd(int segment, int node) {
    return sizes[segment] < shares.owners()
        && !holds(segment, node)
        && inZoneOf(segment, node) < shares.ownersPerZone();
  }

  /** Whether a node may own the segment in place of one that does. */
  boolean mayReplace(int segment, int from, int to) {
    if (holds(segment, to)) {
      return false;
    }
    int leaving = shares.zone(from) == shares.zone(to) ? 1 : 0;
    return inZoneOf(segment, to) - leaving < shares.ownersPerZone();
  }

  /** Copies it takes that the node owns the segment: none if it did, or if nothing is left. */
  int cost(int segment, int node) {
    return now.lost(segment) || now.stays(segment, node) ? 0 : 1;
  }

  /** The nodes that could own the segment without a copy, unless it is lost: then all could. */
  int[] formerOwners(int segment) {
    return now.stayers[segment];
  }

  boolean lost(int segment) {
    return now.lost(segment);
  }

  void add(int segment, int node) {
    rows[segment][sizes[segment]++] = node;
    counts[node]++;
  }

  void remove(int segment, int node) {
    int[] row = rows[segment];
    int last = --sizes[segment];
    int index = indexOf(segment, node);
    row[index] = row[last];
    counts[node]--;
  }

  /** The node's index, or the row's size if it is not there. */
  private int indexOf(int segment, int node) {
    int[] row = rows[segment];
    int index = 0;
    while (index < sizes[segment] && row[index] != node) {
      index++;
    }
    return index;
  }
}
